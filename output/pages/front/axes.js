// Ranges and ticks, linear and logarithmic.

/** 1, 2 or 5 times a power of ten: the smallest of at least `least`. */
function nice_step(least) {
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

function linear_ticks(low, high, most) {
  if (!(high > low)) return [low];
  const step = nice_step((high - low) / Math.max(most, 1));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) ticks.push(k === 0 ? 0 : k * step);
  return ticks;
}

/** Whole powers of ten, or 1 2 5 where there are few of them, or linear ones within less than that. */
function log_ticks(low, high, most) {
  const decades = Math.log10(high / low);
  if (!(decades > 0)) return [low];
  if (decades < 0.9) return linear_ticks(low, high, most);
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
  const factors = decades * 3 <= most ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil(decades / Math.max(most, 1)));
  const ticks = [];
  for (let n = Math.ceil(first / stride) * stride; n <= last; n += stride)
    for (const factor of factors) {
      const tick = factor * Math.pow(10, n);
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push(tick);
    }
  return ticks.length > 1 ? ticks : linear_ticks(low, high, most);
}

/** Labels that tell neighbouring ticks apart. */
function tick_labels(ticks, logarithmic) {
  if (logarithmic && ticks.every((x) => Math.abs(Math.log10(x) - Math.round(Math.log10(x))) < 1e-9)) {
    const powers = ticks.map((x) => Math.round(Math.log10(x)));
    const plain = powers.every((n) => n >= -3 && n <= 4);
    return powers.map((n) => (plain ? short_number(Math.pow(10, n)) : power_of_ten(n)));
  }
  if (ticks.length < 2) return ticks.map((x) => short_number(x));
  const apart = Math.min(...ticks.slice(1).map((x, k) => Math.abs(x - ticks[k])));
  const largest = Math.max(...ticks.map(Math.abs));
  const digits = logarithmic ? 2 : Math.min(15, Math.max(1, 1 + Math.floor(Math.log10(largest) + 1e-9) - Math.floor(Math.log10(apart) + 1e-9)));
  return ticks.map((x) => short_number(x, digits));
}

/** The range of an axis around finite numbers from low to high, with a margin. */
function padded(low, high, logarithmic) {
  if (!(low <= high)) return logarithmic ? [1e-1, 1] : [0, 1];
  if (logarithmic) {
    const margin = low === high ? 3 : Math.pow(high / low, 0.04);
    return [low / margin, high * margin];
  }
  const margin = low === high ? Math.abs(low) * 0.1 || 1 : (high - low) * 0.04;
  return [low - margin, high + margin];
}

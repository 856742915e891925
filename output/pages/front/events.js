// What happened in a run: ticks below the slider of its motion, and steps from one to the next.

const event_words = { contact: "contact", friction: "friction", switch: "switch", stop: "end of the run", event: "event" };
const tick_width = 7, thumb = 16;  // in pixels; the thumb of a slider does not leave its track

class Events {
  /** null where the motion has none. */
  static make(motion) { return motion.block.events ? new Events(motion) : null; }

  constructor(motion) {
    const { times, at, texts } = motion.block.events, places = numbers(at);
    this.motion = motion;
    this.all = Array.from(numbers(times), (t, k) => ({ t, text: texts[places[k]][0], kind: texts[places[k]][1] }));
    this.ticks = element("div", { class: "ticks", role: "group", "aria-label": counted(this.all.length) + (this.all.length === 1 ? " event" : " events") });
    this.told = element("output", { class: "status" });
    this.back = element("button", { type: "button", "aria-label": "previous event", onclick: () => this.go(-1) }, "\u2039 event");
    this.next = element("button", { type: "button", "aria-label": "next event", onclick: () => this.go(1) }, "event \u203a");
    const kinds = [...new Set(this.all.map((one) => one.kind))];
    this.row = element("div", { class: "bar events", role: "group", "aria-label": "Events" }, this.back, this.next, this.told,
      kinds.length > 1 ? element("span", { class: "keys" }, kinds.map((kind) => element("span", { class: "key " + kind }, event_words[kind]))) : null);
    new ResizeObserver(() => this.place_ticks()).observe(this.ticks);
  }

  time(t) { return this.motion.time_text(t); }

  /** The events that share a tick in a few words: "t = 0.41 .. 0.43 s, 3 events: landing, floor.a (2); rest". */
  words(events) {
    if (events.length === 1) return this.time(events[0].t) + ": " + events[0].text;
    const counts = new Map();
    for (const { text } of events) counts.set(text, (counts.get(text) ?? 0) + 1);
    const parts = [...counts].map(([text, count]) => text + (count > 1 ? " (" + count + ")" : ""));
    const last = short_number(events[events.length - 1].t, 6);
    return this.time(events[0].t) + " to " + last + ", " + counted(events.length) + " events: " + parts.slice(0, 4).join("; ") +
      (parts.length > 4 ? "; and " + (parts.length - 4) + " other kinds" : "");
  }

  /** Neighbours that a tick is too wide for are one tick. */
  place_ticks() {
    const width = this.ticks.clientWidth - thumb, { times } = this.motion, from = times[0], length = times[times.length - 1] - from;
    if (!(width > 0) || width === this.width) return;
    this.width = width;
    const bins = new Map();
    for (const one of this.all) {
      const part = Math.min(1, Math.max(0, length > 0 ? (one.t - from) / length : 1));
      const bin = Math.round(part * width / tick_width);
      if (!bins.has(bin)) bins.set(bin, { part, events: [] });
      bins.get(bin).events.push(one);
    }
    this.ticks.replaceChildren(...[...bins.values()].map(({ part, events }) => {
      const kind = ["stop", "contact", "switch", "friction", "event"].find((one) => events.some((event) => event.kind === one));
      const tick = element("button", { type: "button", tabindex: "-1", class: "tick " + kind, title: this.words(events), "aria-label": this.words(events),
        onclick: () => { this.motion.play(false); this.motion.show(events[0].t); } });
      tick.style.left = thumb / 2 + part * width + "px";
      return tick;
    }));
  }

  /** How many are not later than t; rounding of the slider does not count. */
  passed(t) {
    const { length } = this.motion;
    let low = 0, high = this.all.length;
    while (low < high) { const middle = (low + high) >> 1; if (this.clamped(middle) <= t + 1e-9 * length) low = middle + 1; else high = middle; }
    return low;
  }
  clamped(k) { const { times } = this.motion; return Math.min(this.all[k].t, times[times.length - 1]); }

  /** To the next or the previous time at which something happened. */
  go(by) {
    const { motion } = this, small = 1e-9 * motion.length;
    const found = by > 0 ? this.all.findIndex((_, k) => this.clamped(k) > motion.t + small)
      : this.all.reduce((last, _, k) => (this.clamped(k) < motion.t - small ? k : last), -1);
    motion.play(false);
    if (found >= 0) motion.show(this.all[found].t);
  }

  /** Those at this very time, for the text of the slider. */
  here(t) {
    const small = 1e-9 * this.motion.length, last = this.passed(t);
    let first = last;
    while (first > 0 && this.clamped(first - 1) >= t - small) --first;
    return this.all.slice(first, last).map((one) => one.text).slice(0, 3).join("; ");
  }

  show(t) {
    const passed = this.passed(t), count = this.all.length, { length } = this.motion;
    const text = count === 1 ? this.all[0].text + " at " + this.time(this.all[0].t) : passed === 0 ? counted(count) + " events, the first at " + this.time(this.all[0].t)
      : counted(passed) + " of " + counted(count) + ": " + this.all[passed - 1].text + " at " + this.time(this.all[passed - 1].t);
    if (this.told.textContent !== text) this.told.textContent = text;
    this.told.setAttribute("aria-live", this.motion.playing ? "off" : "polite");
    this.back.disabled = !(this.clamped(0) < t - 1e-9 * length);
    this.next.disabled = passed === count;
  }
}

#include "program/run/run_files.hpp"

#include <fmt/format.h>

#include "gnomon/base/error.hpp"
#include "program/arguments.hpp"

namespace gnomon::program {

std::unique_ptr<Snapshots> snapshots_of(const RunArguments& arguments, double t0, double t_end,
                                        const ProblemInstance& instance) {
  constexpr double usual_count = 50;
  if (!arguments.snapshots && !arguments.plot) {
    if (arguments.snapshot_every)
      throw Error(ErrorCode::bad_value, "--snapshot-every is given without --snapshots or --plot");
    return nullptr;
  }
  double every = (t_end - t0) / usual_count;
  if (arguments.snapshot_every) every = parse_real(*arguments.snapshot_every, "--snapshot-every");
  if (!(every > 0))
    throw Error(ErrorCode::bad_value, "--snapshot-every = " + *arguments.snapshot_every + " is not above zero");
  const double count = (t_end - t0) / every;
  if (!(count <= 1e15))
    throw Error(ErrorCode::bad_value,
                fmt::format("--snapshot-every = {} asks for {:g} snapshots, at most 1e15 are possible",
                            *arguments.snapshot_every, count));
  return std::make_unique<Snapshots>(instance, t0, every, arguments.snapshots, arguments.plot);
}

ReferenceReport advance(ReferenceRun& reference, double t, RunPage* page) {
  if (!page) return reference.advance_to(t, nullptr, {});
  traces::RunTrace& trace = page->add(reference.label(), true);
  ReferenceObserver observer(trace);
  return reference.advance_to(t, &observer, page->times());
}

void Unwritten::say() const {
  if (!sentence_.empty()) throw Error(ErrorCode::bad_file, sentence_);
}

}  // namespace gnomon::program

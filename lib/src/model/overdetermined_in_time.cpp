#include "gnomon/model/overdetermined_in_time.hpp"

#include "gnomon/model/system.hpp"
#include "model/mechanical_overdetermined.hpp"

namespace gnomon {

OverdeterminedInTime::OverdeterminedInTime(std::shared_ptr<const Model> model) {
  const std::shared_ptr<const System> system = shared_system(model);
  const bool moves = system && (system->parts().time_dependence ||
                                (system->parts().force && system->parts().force->force_depends_on_time()));
  if (!moves) {
    system_ = overdetermined_from(std::move(model));
    return;
  }
  require_no_obstacles(*system);
  moving_ = std::make_shared<MechanicalOverdetermined>(system);
  system_ = moving_;
}

void OverdeterminedInTime::hold(double t) {
  if (moving_) moving_->hold(t);
}

}  // namespace gnomon

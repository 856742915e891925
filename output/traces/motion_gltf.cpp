#include "traces/motion_gltf.hpp"

#include "gnomon/base/error.hpp"

#ifdef GNOMON_HAS_TINYGLTF

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>
#include <vector>

#define TINYGLTF_IMPLEMENTATION
#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#define TINYGLTF_NO_EXTERNAL_IMAGE
#include <tiny_gltf.h>

namespace gnomon::traces {

namespace {

/// As the pages have them, in linear light.
constexpr std::array<std::array<double, 3>, 6> colours{
    {{0, .142, .392}, {.665, .112, 0}, {0, .235, .114}, {.434, .08, .275}, {.352, .188, 0}, {.023, .275, .552}}};

class Writer {
 public:
  explicit Writer(const RunTrace& run) : run_(run) {
    model_.asset.version = "2.0";
    model_.asset.generator = "gnomon";
    model_.buffers.emplace_back();
    model_.animations.emplace_back();
    model_.animations[0].name = run.spec().name;
  }

  std::string bytes() {
    const std::vector<double>& poses = run_.poses();
    const std::size_t count = run_.solids().size(), frames = poses.size() / (9 * count);
    std::vector<float> times;
    for (std::size_t k = 0; k < frames; ++k)
      times.push_back(static_cast<float>(run_.frame_times()[k] - run_.frame_times()[0]));
    const int at_times = accessor(times, 1, TINYGLTF_TYPE_SCALAR);
    tinygltf::Node root;
    root.name = run_.instance().model->name();
    // z, or which axis is upwards, becomes y.
    const int up = run_.curves().empty() ? 2 : run_.curves().front().up;
    const double half = std::sqrt(0.5);
    if (up == 2) root.rotation = {-half, 0, 0, half};
    if (up == 0) root.rotation = {0, 0, half, half};
    for (std::size_t s = 0; s < count; ++s) {
      const Solid& solid = run_.solids()[s];
      if (solid.points.empty()) continue;
      root.children.push_back(static_cast<int>(model_.nodes.size()));
      std::vector<float> places, turns;
      Eigen::Quaterniond before = Eigen::Quaterniond::Identity();
      for (std::size_t k = 0; k < frames; ++k) {
        const double* const pose = poses.data() + 9 * (k * count + s);
        const Eigen::Map<const Eigen::Vector3d> origin(pose), u(pose + 3), v(pose + 6);
        Eigen::Matrix3d axes;
        axes << u.normalized(), (v - u * u.dot(v) / u.squaredNorm()).normalized(), Eigen::Vector3d::Zero();
        axes.col(2) = axes.col(0).cross(axes.col(1));
        Eigen::Quaterniond turn(axes);
        if (turn.dot(before) < 0) turn.coeffs() *= -1;  // of two quaternions of a pose the nearer one
        before = turn;
        for (int c = 0; c < 3; ++c) places.push_back(static_cast<float>(origin[c]));
        for (int c = 0; c < 4; ++c) turns.push_back(static_cast<float>(turn.coeffs()[c]));
      }
      tinygltf::Node node;
      node.name = solid.name;
      node.mesh = mesh(solid, s);
      node.translation.assign(places.begin(), places.begin() + 3);
      node.rotation.assign(turns.begin(), turns.begin() + 4);
      animate(at_times, accessor(places, 3, TINYGLTF_TYPE_VEC3), "translation");
      animate(at_times, accessor(turns, 4, TINYGLTF_TYPE_VEC4), "rotation");
      model_.nodes.push_back(node);
    }
    model_.nodes.push_back(root);
    model_.scenes.emplace_back();
    model_.scenes[0].nodes = {static_cast<int>(model_.nodes.size()) - 1};
    model_.defaultScene = 0;
    std::ostringstream out;
    tinygltf::TinyGLTF().WriteGltfSceneToStream(&model_, out, false, true);
    return out.str();
  }

 private:
  /// Numbers of `width` components each; with their least and largest values.
  int accessor(const std::vector<float>& numbers, std::size_t width, int type, int target = 0) {
    tinygltf::Accessor accessor;
    accessor.bufferView = view(numbers.data(), numbers.size() * sizeof(float), target);
    accessor.componentType = TINYGLTF_COMPONENT_TYPE_FLOAT;
    accessor.type = type;
    accessor.count = numbers.size() / width;
    accessor.minValues.assign(width, 1e300);
    accessor.maxValues.assign(width, -1e300);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      accessor.minValues[k % width] = std::min(accessor.minValues[k % width], static_cast<double>(numbers[k]));
      accessor.maxValues[k % width] = std::max(accessor.maxValues[k % width], static_cast<double>(numbers[k]));
    }
    model_.accessors.push_back(accessor);
    return static_cast<int>(model_.accessors.size()) - 1;
  }
  int view(const void* data, std::size_t size, int target) {
    std::vector<unsigned char>& bytes = model_.buffers[0].data;
    tinygltf::BufferView view;
    view.buffer = 0;
    view.byteOffset = bytes.size();
    view.byteLength = size;
    view.target = target;
    bytes.resize(bytes.size() + size);
    std::memcpy(bytes.data() + view.byteOffset, data, size);
    model_.bufferViews.push_back(view);
    return static_cast<int>(model_.bufferViews.size()) - 1;
  }
  void animate(int times, int values, const char* path) {
    tinygltf::Animation& animation = model_.animations[0];
    tinygltf::AnimationSampler sampler;
    sampler.input = times;
    sampler.output = values;
    sampler.interpolation = "LINEAR";
    tinygltf::AnimationChannel channel;
    channel.sampler = static_cast<int>(animation.samplers.size());
    channel.target_node = static_cast<int>(model_.nodes.size());
    channel.target_path = path;
    animation.samplers.push_back(sampler);
    animation.channels.push_back(channel);
  }
  int mesh(const Solid& solid, std::size_t number) {
    std::vector<float> points;
    for (const auto& triangle : solid.triangles)
      for (const std::uint32_t corner : triangle)
        points.insert(points.end(), solid.points[corner].begin(), solid.points[corner].end());
    tinygltf::Material material;
    material.name = solid.name;
    const bool grey = solid.kind == Solid::Kind::joint || solid.kind == Solid::Kind::contact;
    const auto& colour = colours[number % colours.size()];
    const double alpha = solid.kind == Solid::Kind::contact || solid.kind == Solid::Kind::inertia ? 0.3 : 1;
    material.pbrMetallicRoughness.baseColorFactor = {grey ? .12 : colour[0], grey ? .12 : colour[1],
                                                     grey ? .12 : colour[2], alpha};
    material.pbrMetallicRoughness.metallicFactor = 0;
    material.pbrMetallicRoughness.roughnessFactor = 0.7;
    material.doubleSided = solid.kind == Solid::Kind::contact;
    if (alpha < 1) material.alphaMode = "BLEND";
    model_.materials.push_back(material);
    tinygltf::Primitive primitive;
    primitive.attributes["POSITION"] = accessor(points, 3, TINYGLTF_TYPE_VEC3, TINYGLTF_TARGET_ARRAY_BUFFER);
    primitive.material = static_cast<int>(model_.materials.size()) - 1;
    primitive.mode = TINYGLTF_MODE_TRIANGLES;
    tinygltf::Mesh mesh;
    mesh.name = solid.name;
    mesh.primitives.push_back(primitive);
    model_.meshes.push_back(mesh);
    return static_cast<int>(model_.meshes.size()) - 1;
  }

  const RunTrace& run_;
  tinygltf::Model model_;
};

}  // namespace

std::string motion_gltf(const RunTrace& run) {
  if (run.solids().empty() || run.poses().empty())
    throw Error(ErrorCode::refused, "model " + run.instance().model->name() + " has no bodies in space");
  return Writer(run).bytes();
}

}  // namespace gnomon::traces

#else

namespace gnomon::traces {

std::string motion_gltf(const RunTrace&) {
  throw Error(ErrorCode::refused, "this program was built without tinygltf (libtinygltf-dev), which writes .glb");
}

}  // namespace gnomon::traces

#endif

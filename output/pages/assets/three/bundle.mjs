// What front/scene.js uses of three.js.
export {
  AmbientLight, BufferAttribute, BufferGeometry, Camera, Color, DirectionalLight, DoubleSide, EdgesGeometry, Fog, Group, LineBasicMaterial,
  Line, LineSegments, Mesh, MeshBasicMaterial, MeshLambertMaterial, Scene, Vector3, WebGLRenderer,
} from "three";

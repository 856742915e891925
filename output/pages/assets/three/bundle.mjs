// Makes three.iife.min.js beside this file, which pages contain, and the same without minification for people to read,
// debian/missing-sources/three.iife.js. It is run in a folder into which npm has installed three and esbuild: README.md.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url)), root = path.join(here, "../../../..");
const { build } = createRequire(path.join(process.cwd(), "x.js"))("esbuild");
const used = [  // by front/scene.js
  "AmbientLight", "BufferAttribute", "BufferGeometry", "Camera", "Color", "DirectionalLight", "DoubleSide", "EdgesGeometry", "Fog", "Group",
  "LineBasicMaterial", "Line", "LineSegments", "Mesh", "MeshBasicMaterial", "MeshLambertMaterial", "Scene", "Vector3", "WebGLRenderer",
];
const outputs = [[true, path.join(here, "three.iife.min.js")], [false, path.join(root, "debian/missing-sources/three.iife.js")]];
for (const [minify, file] of outputs) {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${used.join(", ")} } from "three";`, resolveDir: process.cwd() }, absWorkingDir: process.cwd(),
    bundle: true, minify, format: "iife", globalName: "THREE", target: "es2020", legalComments: "none", charset: "ascii", write: false,
  });
  fs.writeFileSync(file, outputFiles[0].text);
}

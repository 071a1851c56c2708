// Takes out of node_modules what nobody in an image can use: `node deploy/slim-packages.mjs [FOLDER]`, after `npm ci
// --omit=dev` there. Plain JavaScript without packages, as the set-up.
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { foreignRuntimes } from '../src/setup.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The model library names it at its start, for pictures, of which there are none here. */
const NO_PICTURES = 'module.exports = () => { throw new Error("There are no pictures here."); };\n';

const children = (folder) =>
  fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => join(folder, name)) : [];

function filesUnder(folder) {
  return fs.readdirSync(folder, { recursive: true }).map((name) => join(folder, name));
}

/** SQLite for other platforms, and what it was made of. */
function foreignSqlite(packages, platform, arch) {
  const folder = join(packages, '@photostructure', 'sqlite');
  const others = children(join(folder, 'prebuilds')).filter((it) => basename(it) !== `${platform}-${arch}`);
  return [...others, join(folder, 'src')];
}

/** Declarations and maps, which only a compiler or a debugger reads. */
function forTools(packages) {
  return filesUnder(packages).filter((file) => /\.(map|d\.[cm]?ts)$/.test(file));
}

function replacePictures(packages) {
  const folder = join(packages, 'sharp');
  if (!fs.existsSync(folder)) return;
  const { version } = JSON.parse(fs.readFileSync(join(folder, 'package.json'), 'utf8'));
  fs.rmSync(folder, { recursive: true });
  fs.rmSync(join(packages, '@img'), { recursive: true, force: true });
  fs.mkdirSync(folder);
  fs.writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'sharp', version, main: 'none.cjs' }),
  );
  fs.writeFileSync(join(folder, 'none.cjs'), NO_PICTURES);
}

const [folder = ROOT] = process.argv.slice(2);
const packages = join(folder, 'node_modules');
const unused = [
  ...foreignRuntimes(folder, process.platform, process.arch),
  ...foreignSqlite(packages, process.platform, process.arch),
  join(packages, 'hnswlib-node', 'build', 'Release', 'obj.target'),
  ...forTools(packages),
];
for (const path of unused) fs.rmSync(path, { recursive: true, force: true });
replacePictures(packages);

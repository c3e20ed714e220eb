/** Lists the packages whose code is in the bundle, by the metafile of esbuild. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * @typedef {object} BundledPackage
 * @property {string} id name@version
 * @property {string} name
 * @property {string} version
 * @property {string} folder of the package, relative to the project; one of them if several copies are installed
 * @property {string[]} files those in the bundle, relative to the project
 * @property {object} manifest its package.json
 */

/** Returns the folder of the package that contains an input of the bundle; undefined for a file of the project. */
export function packageFolderOf(input) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0];
}

/** Reads a package from its folder. @returns {BundledPackage} */
export function readPackage(root, folder, files = []) {
  const manifest = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
  const { name, version } = manifest;
  return { id: `${name}@${version}`, name, version, folder, files, manifest };
}

/** Returns each version of a package once, sorted by name and version. @returns {BundledPackage[]} */
export function listBundledPackages({ root, metafile }) {
  const byId = new Map();
  for (const [folder, files] of filesByFolder(metafile)) {
    const found = readPackage(root, folder, files);
    const known = byId.get(found.id);
    if (known) known.files.push(...files);
    else byId.set(found.id, found);
  }
  return sortPackages([...byId.values()]);
}

/** Sorts by code unit, so that the order does not depend on the locale. */
export function sortPackages(packages) {
  const compare = (a, b) => (a < b ? -1 : Number(a > b));
  return packages.toSorted((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
}

/** Groups the inputs with code in an output by the folder of their package. */
function filesByFolder({ outputs }) {
  const folders = new Map();
  for (const { inputs } of Object.values(outputs))
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = packageFolderOf(file);
      if (folder === undefined || bytesInOutput === 0) continue;
      folders.set(folder, [...(folders.get(folder) ?? []), file]);
    }
  return [...folders].sort(([a], [b]) => (a < b ? -1 : 1));
}

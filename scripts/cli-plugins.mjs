/**
 * esbuild plugins that defer or remove unused modules. Starts are so short that an unused module of Node, or one more
 * file, is measurable.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Replaces the modules of a namespace by generated CommonJS. */
function standIn(namespace, contentsOf) {
  return (build) =>
    build.onLoad({ filter: /.*/, namespace }, (loaded) => ({ contents: contentsOf(loaded), loader: 'js' }));
}

/**
 * Loads modules of Node on the first use of an imported name: file system, digests and streams take some milliseconds
 * each, and `--help` needs none of them.
 */
export const nodeWhenUsed = {
  name: 'node-when-used',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path: name, kind, importer }) =>
      kind === 'import-statement' && !importer.includes('node_modules') ? { path: name, namespace: 'used' } : undefined,
    );
    // esbuild copies the prototype of an imported module, so a proxy as prototype sees each access.
    standIn('used', ({ path: name }) => {
      const lookup = `new Proxy({}, { get: (_, key) => require('${name}')[key] })`;
      return `module.exports = Object.create(${lookup});`;
    })(build);
  },
};

/**
 * Modules of Node that packages load eagerly for rarely used features, and their replacements. commander can start
 * executables as subcommands; undici supports HTTP/2 with `allowH2`, accepts an IncomingMessage as body, reads one
 * number from node:http, and formats failed assertions.
 */
const hardlyUsed = [
  {
    name: 'child_process',
    importer: 'commander',
    contents: "exports.spawn = (...args) => require('child_process').spawn(...args);",
  },
  { name: 'http2', importer: 'undici', contents: 'exports.constants = {};' },
  {
    name: 'http',
    importer: 'undici',
    contents: `
      exports.IncomingMessage = class {};
      const isSet = [...process.execArgv, process.env.NODE_OPTIONS].join(' ').includes('max-http-header-size');
      exports.maxHeaderSize = isSet ? require('http').maxHeaderSize : 16384;`,
  },
  {
    name: 'assert',
    importer: 'undici',
    contents: `
      const assert = (value, message) => { if (!value) require('assert')(value, message); };
      module.exports = new Proxy(assert, { get: (_, key) => require('assert')[key] });`,
  },
];

export const withoutHardlyUsed = {
  name: 'without-hardly-used',
  setup(build) {
    for (const { name, importer: packageName } of hardlyUsed)
      build.onResolve({ filter: new RegExp(`^node:${name}$`) }, ({ importer }) =>
        importer.includes(`${path.sep}${packageName}${path.sep}`) ? { path: name, namespace: 'unused' } : undefined,
      );
    standIn('unused', ({ path: name }) => hardlyUsed.find((one) => one.name === name).contents)(build);
  },
};

/** The large fields of an operation, which only commands of this operation read. */
const large = ['description', 'statuses', 'examples', 'params', 'query', 'body', 'response'];

/**
 * Bundles the manifest as a list of operations and loads the large fields of each on first access, from a line of a
 * separate file. So the number of operations does not affect the start time.
 */
export function manifestByLine(linesFile) {
  return {
    name: 'manifest-by-line',
    setup(build) {
      build.onLoad({ filter: /[\\/]contract[\\/]manifest\.ts$/ }, ({ path: file }) => {
        const text = readFileSync(file, 'utf8');
        const manifest = JSON.parse(text.slice(text.indexOf('= {') + 2, text.lastIndexOf('}') + 1));
        const { operations, controlRoutes, errors, settings, ...rest } = manifest;
        const values = [...operations, controlRoutes, errors, settings];
        writeFileSync(linesFile, values.map((value) => JSON.stringify(value)).join('\n'));
        const listed = operations.map((operation) => [
          Object.fromEntries(Object.entries(operation).filter(([key]) => !large.includes(key))),
          large.filter((key) => key in operation),
        ]);
        return { contents: manifestModule(JSON.stringify(JSON.stringify(listed)), rest), loader: 'js' };
      });
    },
  };
}

const manifestModule = (listed, rest) => `
  import { readFileSync } from 'node:fs';
  let lines;
  const values = [];
  const valueAt = (at) => {
    lines ??= readFileSync(__dirname + '/manifest.jsonl', 'utf8').split('\\n');
    return (values[at] ??= JSON.parse(lines.at(at)));
  };
  const lazily = (target, key, get) => Object.defineProperty(target, key, { get, enumerable: true });
  const operations = JSON.parse(${listed}).map(([operation, keys], at) => {
    for (const key of keys) lazily(operation, key, () => valueAt(at)[key]);
    return operation;
  });
  export const manifest = { ...${JSON.stringify(rest)}, operations };
  lazily(manifest, 'controlRoutes', () => valueAt(-3));
  lazily(manifest, 'errors', () => valueAt(-2));
  lazily(manifest, 'settings', () => valueAt(-1));
`;

/** Loads files with a code cache; bundled into each file that loads another. */
const partLoader = path.join(path.dirname(fileURLToPath(import.meta.url)), 'cli-part.cjs');

/**
 * Bundles modules as separate files, which their importers load lazily.
 * @param files the entry module of each file, by name
 * @param own the file that is being bundled
 * @param compiled the files with a code cache
 */
export function filesOfTheirOwn({ files, own, compiled }) {
  const others = new Map(
    Object.entries(files)
      .filter(([name]) => name !== own)
      .map(([name, file]) => [file, name]),
  );
  return {
    name: 'files-of-their-own',
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\// }, ({ path: specifier, resolveDir }) => {
        const name = others.get(path.resolve(resolveDir, specifier));
        return name === undefined ? undefined : { path: name, namespace: 'apart' };
      });
      build.onResolve({ filter: /\.cjs$/, namespace: 'apart' }, ({ path: specifier }) =>
        path.isAbsolute(specifier) ? { path: specifier } : { path: specifier, external: true },
      );
      standIn('apart', ({ path: name }) =>
        compiled.includes(name)
          ? `module.exports = require(${JSON.stringify(partLoader)}).part('${name}', __dirname, require);`
          : `module.exports = require('./${name}.cjs');`,
      )(build);
    },
  };
}

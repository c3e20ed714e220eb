/**
 * Plugins that keep from a command what it has no use for. A start is so short that a module of Node that nobody asks
 * for, or a file more, can be seen in it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A module of CommonJS in place of whatever `path` names. */
function standIn(namespace, contentsOf) {
  return (build) =>
    build.onLoad({ filter: /.*/, namespace }, (loaded) => ({ contents: contentsOf(loaded), loader: 'js' }));
}

/**
 * Our own modules import those of Node by name, and get each name when they first use it: file system, digests and
 * streams take some milliseconds each, and `--help` needs none of them.
 */
export const nodeWhenUsed = {
  name: 'node-when-used',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path: name, kind, importer }) =>
      kind === 'import-statement' && !importer.includes('node_modules') ? { path: name, namespace: 'used' } : undefined,
    );
    // esbuild hands on the prototype of what is imported, and with it each name that is asked for.
    standIn('used', ({ path: name }) => {
      const lookup = `new Proxy({}, { get: (_, key) => require('${name}')[key] })`;
      return `module.exports = Object.create(${lookup});`;
    })(build);
  },
};

/**
 * Modules of Node that a package loads at once for something that the command hardly ever does, and what it gets
 * instead: commander starts programs of their own as subcommands; undici speaks HTTP/2 where `allowH2` is set, takes
 * incoming messages of servers as bodies, asks for one number of node:http, and makes words of failed assertions.
 */
const hardlyUsed = [
  {
    name: 'child_process',
    importer: 'commander',
    contents: "exports.spawn = (...given) => require('child_process').spawn(...given);",
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
    for (const { name, importer: wanted } of hardlyUsed)
      build.onResolve({ filter: new RegExp(`^node:${name}$`) }, ({ importer }) =>
        importer.includes(`${path.sep}${wanted}${path.sep}`) ? { path: name, namespace: 'unused' } : undefined,
      );
    standIn('unused', ({ path: name }) => hardlyUsed.find((one) => one.name === name).contents)(build);
  },
};

/** What of an operation is large, and looked at only by commands that use this operation. */
const large = ['description', 'statuses', 'examples', 'params', 'query', 'body', 'response'];

/**
 * The manifest as a list of operations by name, and the rest of each when it is first looked at: a line of a file beside
 * the bundle. So a start takes no longer when there are more operations.
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

/** Loads what was compiled beforehand; bundled into each file that loads another. */
const partLoader = path.join(path.dirname(fileURLToPath(import.meta.url)), 'cli-part.cjs');

/**
 * Modules that are files of their own in the bundle; whoever imports one gets it when it comes to that.
 * @param files the module that each of them begins with
 * @param own the one that is bundled now
 * @param compiled those that are compiled beforehand
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
      build.onResolve({ filter: /^\.{1,2}\// }, ({ path: given, resolveDir }) => {
        const name = others.get(path.resolve(resolveDir, given));
        return name === undefined ? undefined : { path: name, namespace: 'apart' };
      });
      build.onResolve({ filter: /\.cjs$/, namespace: 'apart' }, ({ path: given }) =>
        path.isAbsolute(given) ? { path: given } : { path: given, external: true },
      );
      standIn('apart', ({ path: name }) =>
        compiled.includes(name)
          ? `module.exports = require(${JSON.stringify(partLoader)}).part('${name}', __dirname, require);`
          : `module.exports = require('./${name}.cjs');`,
      )(build);
    },
  };
}

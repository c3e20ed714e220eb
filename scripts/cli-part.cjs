/**
 * Loads a file of the bundle with its V8 code cache from the build, which halves the load time. A cache fits one version
 * of V8 on one platform, which its name contains; without a matching cache the file is loaded normally.
 */
const { readFileSync } = require('node:fs');
const { Script } = require('node:vm');

/** Returns the path of the code cache of a file for the current Node. */
exports.codeFile = (file) => `${file}.${process.versions.v8}-${process.platform}-${process.arch}.code`;

/** Compiles a file, wrapped as Node does. Bundles are ASCII, which is fastest to read as latin1. */
exports.scriptOf = (file, cachedData) =>
  new Script(`(function(exports,require,module,__dirname){${readFileSync(file, 'latin1')}\n})`, {
    filename: file,
    cachedData,
  });

/** Runs such a script and returns its exports. */
exports.evaluated = (script, directory, load) => {
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, load, loaded, directory);
  return loaded.exports;
};

/** Loads a file and returns its exports. V8 rejects a cache that does not fit, for example because of other V8 flags. */
exports.part = (name, directory, load) => {
  const file = `${directory}/${name}.cjs`;
  const code = codeOf(file);
  return code ? exports.evaluated(exports.scriptOf(file, code), directory, load) : load(file);
};

/**
 * Returns a `require` for a folder of files that require each other by relative names; each is loaded once, with its
 * code cache if there is one.
 * @param load resolves all other names
 * @param onScript is called with each file and script before it runs
 */
exports.folderLoader = (folder, load, onScript = () => undefined) => {
  const loaded = new Map();
  return function get(name) {
    if (!name.startsWith('./')) return load(name);
    const cached = loaded.get(name);
    if (cached) return cached.exports;
    const file = `${folder}/${name.slice(2)}`;
    const script = exports.scriptOf(file, codeOf(file));
    onScript(file, script);
    const module = { exports: {} };
    loaded.set(name, module);
    script.runInThisContext()(module.exports, get, module, folder);
    return module.exports;
  };
};

function codeOf(file) {
  try {
    return readFileSync(exports.codeFile(file));
  } catch {
    return undefined;
  }
}

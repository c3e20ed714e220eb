/**
 * Loads a file of the bundle with the code that V8 made of it when it was built, which halves the time that loading it
 * takes. Such code fits one V8 on one kind of machine, so its name says which; where it is missing, the file is loaded
 * like any other.
 */
const { readFileSync } = require('node:fs');
const { Script } = require('node:vm');

/** Where the code of a file is, as far as this Node can use it. */
exports.codeFile = (file) => `${file}.${process.versions.v8}-${process.platform}-${process.arch}.code`;

/** The file as a function, the way Node wraps it. It is ASCII, which is read fastest as what it is. */
exports.scriptOf = (file, cachedData) =>
  new Script(`(function(exports,require,module,__dirname){${readFileSync(file, 'latin1')}\n})`, {
    filename: file,
    cachedData,
  });

/** What such a script exports. */
exports.evaluated = (script, directory, load) => {
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, load, loaded, directory);
  return loaded.exports;
};

/** What a file exports. Code that does not fit after all, as under other flags of V8, is left aside by V8 itself. */
exports.part = (name, directory, load) => {
  const file = `${directory}/${name}.cjs`;
  const code = codeOf(file);
  return code ? exports.evaluated(exports.scriptOf(file, code), directory, load) : load(file);
};

/**
 * Loads a folder of files that ask for each other by relative names: each once, and with its code where there is some.
 * @param load for whatever is asked for by another name
 * @param noteScript is told of each script before it runs
 */
exports.folderLoader = (folder, load, noteScript = () => undefined) => {
  const loaded = new Map();
  return function get(name) {
    if (!name.startsWith('./')) return load(name);
    const known = loaded.get(name);
    if (known) return known.exports;
    const file = `${folder}/${name.slice(2)}`;
    const script = exports.scriptOf(file, codeOf(file));
    noteScript(file, script);
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

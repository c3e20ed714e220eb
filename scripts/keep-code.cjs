/** Keeps the code that V8 made of files in a trial run, beside them. */
const { renameSync, writeFileSync } = require('node:fs');
const { codeFile } = require('./cli-part.cjs');

/** @param scripts the scripts that ran, by their files */
exports.keepCode = (scripts) => {
  for (const [file, script] of scripts) keep(codeFile(file), script.createCachedData());
};

/** Whole or not at all: V8 looks at the ends of what it is given, not at each byte. */
function keep(file, code) {
  writeFileSync(`${file}.new`, code, { flush: true });
  renameSync(`${file}.new`, file);
}

/** Stores the V8 code caches of the files of a trial run next to them. */
const { renameSync, writeFileSync } = require('node:fs');
const { codeFile } = require('./cli-part.cjs');

/** @param scripts the scripts that ran, by file */
exports.keepCode = (scripts) => {
  for (const [file, script] of scripts) keep(codeFile(file), script.createCachedData());
};

/** Writes atomically, as V8 does not verify every byte of a cache. */
function keep(file, code) {
  writeFileSync(`${file}.new`, code, { flush: true });
  renameSync(`${file}.new`, file);
}

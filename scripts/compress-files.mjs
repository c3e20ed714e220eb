/** Writes a Brotli version beside each file of a folder that has none, for browsers that accept it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/** What a browser reads; not the licenses. */
const types = ['.css', '.html', '.js', '.json', '.svg'];

/** Smaller files gain nothing. */
const minBytes = 1024;

export function compressFiles(folder) {
  for (const name of readdirSync(folder)) {
    const target = path.join(folder, `${name}.br`);
    if (!types.includes(path.extname(name)) || existsSync(target)) continue;
    const raw = readFileSync(path.join(folder, name));
    if (raw.length < minBytes) continue;
    const compressed = brotliCompressSync(raw, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: raw.length } });
    writeFileSync(target, compressed);
  }
}

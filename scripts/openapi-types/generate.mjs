/**
 * Writes the types of an OpenAPI document.
 * usage: node generate.mjs DOCUMENT TARGET [DOCUMENT TARGET]...
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import openapiTypeScript, { astToString } from 'openapi-typescript';

const files = process.argv.slice(2);
for (let at = 0; at < files.length; at += 2) {
  const [document, target] = [files[at], files[at + 1]];
  const ast = await openapiTypeScript(JSON.parse(readFileSync(document, 'utf8')));
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, astToString(ast));
}

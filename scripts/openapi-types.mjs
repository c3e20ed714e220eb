/** Writes the types of an OpenAPI document. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import openapiTypeScript, { astToString } from 'openapi-typescript';

export async function writeOpenApiTypes(document, target) {
  const ast = await openapiTypeScript(JSON.parse(readFileSync(document, 'utf8')));
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, astToString(ast));
}

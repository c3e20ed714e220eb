/** Writes the files that docs/reference/public-api.md is built from: those of the manifest, the value schemas of the commands, and the types. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { operations } from '../../src/server/operations/index.ts';
import { clientTypesSource } from './client-types.ts';
import { readDocumentOptions } from './document-options.ts';
import { libraryTypesSource } from './library-types.ts';
import { openapiSource } from './openapi.ts';
import { serverTablesSource } from './server-tables.ts';
import { valueSchemasSource } from './value-schemas.ts';

const root = process.argv[2] ?? '.';
const write = (file: string, content: string) => writeFileSync(path.join(root, file), content);

write('src/contract/server.json', serverTablesSource());
write('docs/openapi.json', openapiSource(readDocumentOptions(root)));
write('src/cli/plan/value-schemas.ts', valueSchemasSource());
write('src/client/operation-types.ts', clientTypesSource(operations));
write('src/testing/library-types.ts', libraryTypesSource());

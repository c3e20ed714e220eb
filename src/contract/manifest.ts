/**
 * The manifest: operations, control plane, errors and settings as data. `npm run generate` writes the files that it reads;
 * the bundle contains its value, see scripts/bundle.mjs.
 */
import openapi from '../../docs/openapi.json' with { type: 'json' };
import { errorTable } from './error-codes.ts';
import type { Manifest } from './manifest-types.ts';
import { type OperationsDocument, readOperations } from './openapi-operations.ts';
import { controlPrefix, servicePrefix } from './prefix.ts';
import server from './server.json' with { type: 'json' };

// TypeScript infers `string` for the texts of a JSON file, where these types have unions.
const document = openapi as unknown as OperationsDocument;
const { controlRoutes, settings } = server as unknown as Pick<Manifest, 'controlRoutes' | 'settings'>;

export const manifest: Manifest = {
  version: document.info.version,
  prefix: servicePrefix,
  operations: readOperations(document),
  controlPrefix,
  controlRoutes,
  errors: Object.entries(errorTable).map(([code, entry]) => ({ code, ...entry })),
  settings,
};

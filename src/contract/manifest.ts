/** The manifest: operations, control plane, errors and settings as data. `npm run generate` writes manifest.json. */
import generated from './manifest.json' with { type: 'json' };
import type { Manifest } from './manifest-types.ts';

// TypeScript infers `string` for the texts of a JSON file, where the manifest has unions.
export const manifest = generated as unknown as Manifest;

/** The version of this package, as the generated manifest has it. */
import { manifest } from '../contract/manifest.ts';

export const packageVersion = manifest.version;

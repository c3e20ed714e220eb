/**
 * The passwords that are tried first. The list is half a megabyte: nobody loads this file but by `import()`, when a
 * password has to be looked up in it.
 */
import { dictionary } from '@zxcvbn-ts/language-common';

/** Lower-case, as the package has them: some 49,000, of one to twenty characters. */
export const commonPasswords: ReadonlySet<string> = new Set(dictionary['passwords-common']);

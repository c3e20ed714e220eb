/**
 * The most common passwords. The list is half a megabyte: load this file only with `import()`, when a password is
 * looked up.
 */
import { dictionary } from '@zxcvbn-ts/language-common';

/** Lower-case, as in the package: about 49,000 passwords of 1 to 20 characters. */
export const commonPasswords: ReadonlySet<string> = new Set(dictionary['passwords-common']);

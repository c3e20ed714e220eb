/** The licenses that bundled packages may have, and the license texts of packages. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Licenses that require only that their text is included. */
const permissive = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
];

/**
 * Packages with another license. MPL-2.0 covers only the files of the package, and these are unmodified; its section 3.2
 * requires that the notices tell where their source is.
 */
const withSource = { '@jmespath-community/jmespath': 'MPL-2.0' };

/** Texts for packages that name a license without shipping its text. */
const texts = {
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby
granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.`,
};

/** Whether permissive licenses satisfy an SPDX expression: one operand of OR, all operands of AND; no mix of both. */
export function isPermissive(expression) {
  const ids = expression.replace(/^\((.*)\)$/, '$1').split(/ (?:OR|AND) /);
  if (/ AND /.test(expression)) return !/ OR /.test(expression) && ids.every((id) => permissive.includes(id));
  return ids.some((id) => permissive.includes(id));
}

/** Returns the SPDX expression of a package. @throws if the license is not allowed. */
export function licenseOf({ id, name, manifest: { license = 'none' } }) {
  if (typeof license === 'string' && (isPermissive(license) || withSource[name] === license)) return license;
  throw new Error(
    `${id} has the license ${JSON.stringify(license)}, which is not allowed. ` +
      'Replace the package, or add the license in scripts/licenses.mjs after a review. Allowed: ' +
      `${permissive.join(', ')}.`,
  );
}

/** Whether the notices must tell where the source of a package is. */
export function needsSource({ name }) {
  return Object.hasOwn(withSource, name);
}

/** Returns the license and notice files of a package, or else the text of its license with its author. */
export function licenseTextOf(root, { id, folder, name, manifest }) {
  const names = readdirSync(path.join(root, folder)).filter((file) => isLegalFile(file));
  const found = names.sort().map((file) => readFileSync(path.join(root, folder, file), 'utf8'));
  if (names.some((file) => /^(licen[cs]e|copying)/i.test(file))) return found.map(trimLines).join('\n\n');
  const text = texts[manifest.license];
  if (text === undefined)
    throw new Error(
      `${id} has no license file. Add the text of ${manifest.license} to "texts" in scripts/licenses.mjs.`,
    );
  return [`Copyright (c) ${authorOf(manifest) ?? `the authors of ${name}`}`, ...found.map(trimLines), text].join(
    '\n\n',
  );
}

function isLegalFile(file) {
  return /^(licen[cs]e|copying|copyright|notice|third-?party)/i.test(file) && !/\.(?:[cm]?[jt]s|json|map)$/.test(file);
}

/** Returns the author by a package.json, which may be text or an object. */
export function authorOf({ author }) {
  return typeof author === 'string' ? author : author?.name;
}

/** Removes the byte order mark, line ends of Windows, and white space at the ends of lines. */
function trimLines(text) {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n?|\n/);
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/^\n+|\n+$/g, '');
}

/** Block comments, and line comments with the lines that follow them. */
const comment = /\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+/gm;

/** Returns the distinct comments about license and copyright in the bundled files of a package. */
export function legalCommentsOf(root, { files }) {
  const comments = files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return text.match(comment)?.filter(isLegalComment) ?? [];
  });
  return [...new Set(comments.map((one) => trimLines(one.trim())))].sort();
}

/** As esbuild defines legal comments; a bundle without them must keep their content elsewhere. */
function isLegalComment(text) {
  return /^\s*\/[/*]!|@license|@preserve/m.test(text);
}

/** The licenses that bundled packages may have, and the license texts of packages. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageFolderOf } from './bundled-packages.mjs';

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

/**
 * Code that a package contains from another project, without its license text: by the package and the folder of the
 * files with that code.
 */
export const embeddedCode = [
  {
    // https://github.com/nodejs/llhttp, compiled to WebAssembly
    title: 'llhttp',
    package: 'undici',
    folder: 'lib/llhttp',
    text: `This software is licensed under the MIT License.\n\nCopyright Fedor Indutny, 2018.\n\n${texts.MIT}`,
  },
];

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

/**
 * Returns the license and notice files of a package, or else the text of its license with its author; and the texts for
 * the code of other projects that it contains.
 */
export function licenseTextOf(root, item, embedded) {
  const top = legalFilesIn(root, item.folder);
  const hasLicense = top.some(({ file }) => /^(licen[cs]e|copying)/i.test(file));
  const own = hasLicense ? textsOf(top) : [holderOf(item), ...textsOf(top), knownTextOf(item)];
  const others = [...legalFilesBelow(root, item), ...embedded.filter((entry) => hasEmbedded(item, entry))];
  const distinct = new Map(others.filter(({ text }) => !own.includes(text)).map((other) => [other.text, other]));
  return [...own, ...[...distinct.values()].map(({ title, text }) => `${title}:\n\n${text}`)].join('\n\n');
}

/** @throws if a package no longer contains the code of another project that is listed for it. */
export function assertEmbeddedCode(packages, embedded) {
  const stale = embedded.find((entry) => !packages.some((item) => hasEmbedded(item, entry)));
  if (stale === undefined) return;
  throw new Error(
    `The bundle has no file in ${stale.folder} of ${stale.package}. Remove "${stale.title}" from "embeddedCode" in ` +
      'scripts/licenses.mjs, or correct its folder.',
  );
}

function hasEmbedded({ name, files }, entry) {
  return name === entry.package && files.some((file) => file.startsWith(`${packageFolderOf(file)}/${entry.folder}/`));
}

const textsOf = (files) => files.map(({ text }) => text);

function holderOf({ name, manifest }) {
  return `Copyright (c) ${authorOf(manifest) ?? `the authors of ${name}`}`;
}

function knownTextOf({ id, manifest: { license } }) {
  if (texts[license] !== undefined) return texts[license];
  throw new Error(`${id} has no license file. Add the text of ${license} to "texts" in scripts/licenses.mjs.`);
}

/** Returns the legal files in the folders of the bundled files, below the top folder of the package. */
function legalFilesBelow(root, { files }) {
  const folders = new Set(files.flatMap((file) => foldersBelow(packageFolderOf(file), path.posix.dirname(file))));
  return [...folders].sort().flatMap((folder) => {
    const top = packageFolderOf(`${folder}/`);
    return legalFilesIn(root, folder).map(({ file, text }) => ({
      title: `${folder.slice(top.length + 1)}/${file}`,
      text,
    }));
  });
}

/** Returns a folder and those that contain it, without the top folder. */
function foldersBelow(top, folder) {
  return folder.length > top.length ? [folder, ...foldersBelow(top, path.posix.dirname(folder))] : [];
}

/** Includes the folder of license texts that the REUSE specification defines, https://reuse.software/spec. */
function legalFilesIn(root, folder) {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  const own = entries.filter((entry) => entry.isFile() && isLegalFile(entry.name)).map(({ name }) => name);
  const hasTexts = entries.some((entry) => entry.isDirectory() && entry.name === 'LICENSES');
  const texts = hasTexts ? readdirSync(path.join(root, folder, 'LICENSES')).map((name) => `LICENSES/${name}`) : [];
  const names = [...own, ...texts].sort();
  return names.map((file) => ({ file, text: trimLines(readFileSync(path.join(root, folder, file), 'utf8')) }));
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

/** Block comments, of which the last may have no end, and line comments with the lines that follow them. */
const comment = /\/\*[\s\S]*?(?:\*\/|(?![\s\S]))|(?:^[ \t]*\/\/.*\n?)+/gm;

/** Statements of copyright and license. Their length is limited, so that the search takes linear time. */
const statements = [
  /copyright[^\n]{0,100}?(?:\(c\)|©|\b(?:19|20)\d\d\b)/i,
  /(?:\(c\)|©|\bMIT) ?(?:19|20)\d\d\b/i,
  /\bPermission is hereby granted\b|\bPermission to use, copy\b|\bRedistribution and use in source\b/i,
];

/** Returns the distinct comments about license and copyright in the bundled files of a package. */
export function legalCommentsOf(root, { files }) {
  const comments = files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return text.match(comment)?.filter(isLegalComment) ?? [];
  });
  return [...new Set(comments.map((one) => trimLines(one.trim())))].sort();
}

/**
 * As esbuild defines legal comments, whose content must be kept elsewhere if the bundle is without them; and comments
 * with a copyright statement or the text of a license.
 */
function isLegalComment(comment) {
  return /^[ \t]*\/[/*]!|@license|@preserve/m.test(comment) || statements.some((statement) => statement.test(comment));
}

/** The notices for the packages in the bundle and the stylesheet of swagger-ui-dist, which does not contain their licenses. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readPackage } from './bundled-packages.mjs';
import { swaggerPackage } from './docs-page.mjs';
import { licenseOf, licenseTextOf } from './licenses.mjs';

const notices = 'scripts/swagger-ui-notices.txt';
const line = '-'.repeat(80);

/** The packages in swagger-ui.css by its source map: tachyons-sass, which contains normalize.css 7. */
const ofStylesheet = ['normalize.css', 'tachyons-sass'];

/** A package that names Apache-2.0 without a text, and its holders by its README. */
const withoutText = { 'short-unique-id': 'Copyright (c) 2018-2025 Short Unique ID Contributors' };

const firstLineOf = ({ id }) => `Packages in swagger-ui-bundle.js and swagger-ui.css of ${id}`;

/** Returns the committed notices. @throws if they are for another version of swagger-ui-dist than the installed one. */
export function readSwaggerNotices(root, swagger) {
  const text = readFileSync(path.join(root, notices), 'utf8');
  if (text.startsWith(`${firstLineOf(swagger)}\n`)) return text.trimEnd();
  throw new Error(`${notices} is not for ${swagger.id}. Write it again: see scripts/swagger-ui-notices-main.mjs.`);
}

/** Returns the names of the packages in the files of swagger-ui-dist; those of the bundle are in its log of sizes. */
export function listSwaggerPackages(root) {
  const log = readFileSync(path.join(root, 'node_modules', swaggerPackage, 'log.bundle-sizes.swagger-ui.txt'), 'utf8');
  const names = [...log.matchAll(/^([^<\s]\S*): /gm)].map(([, name]) => name);
  return [...names, ...ofStylesheet].sort();
}

/**
 * Renders the notices, each distinct text once, and the terms that several packages share at the end.
 * @param from the folder in whose node_modules the packages are installed
 */
export function renderSwaggerNotices(root, from) {
  const swagger = readPackage(root, `node_modules/${swaggerPackage}`);
  const byText = new Map();
  for (const name of listSwaggerPackages(root)) {
    const item = readInstalled(from, name);
    const text = withoutText[name] ? apacheTextOf(root, swagger, item) : licenseTextOf(from, item, []);
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${item.version}, license: ${licenseOf(item)}`]);
  }
  const { texts, terms } = shareTerms([...byText.keys()]);
  const sections = [...byText.values()].map((names, at) => `${names.join('\n')}\n\n${texts[at]}\n`);
  return [introductionOf(from, swagger), ...sections, ...terms].join(`\n${line}\n`);
}

/** The terms of MIT, and those of Apache-2.0 until and after its line of copyright; many texts contain them. */
const commonTerms = new RegExp(
  [
    'Permission is hereby granted, free of charge[^]*?DEALINGS IN\\s+THE\\s+SOFTWARE\\.',
    '^ *Apache License\n[^]*?third-party archives\\.',
    '^ *Licensed under the Apache License, Version 2\\.0 [^]*?limitations under the License\\.',
  ].join('|'),
  'gm',
);

const withoutLineBreaks = (text) => text.replaceAll(/\s+/g, ' ').trim();

/** Replaces common terms that are in several texts by their title; they count as the same if only line breaks differ. */
export function shareTerms(texts) {
  const byContent = new Map();
  for (const terms of texts.flatMap((text) => text.match(commonTerms) ?? [])) {
    const content = withoutLineBreaks(terms);
    byContent.set(content, [...(byContent.get(content) ?? []), terms]);
  }
  const shared = [...byContent].filter(([, found]) => found.length > 1);
  const titles = new Map(shared.map(([content], at) => [content, `[Terms ${at + 1}, below]`]));
  return {
    texts: texts.map((text) => text.replaceAll(commonTerms, (match) => titles.get(withoutLineBreaks(match)) ?? match)),
    terms: shared.map(([, [first]], at) => `Terms ${at + 1}\n\n${first}\n`),
  };
}

function introductionOf(from, swagger) {
  const { version } = readPackage(from, 'node_modules/swagger-ui');
  return `${firstLineOf(swagger)}

swagger-ui-dist names the packages in its bundle, in log.bundle-sizes.swagger-ui.txt, but not their versions. The texts
are from the versions below, which npm installs for swagger-ui ${version} with React 18. Comments that the bundle kept
from its packages are in swagger-ui-bundle.js.LICENSE.txt. Terms that several packages share are at the end.
`;
}

/** Reads an installed package; old ones have "licenses" in place of "license". */
function readInstalled(from, name) {
  const item = readPackage(from, `node_modules/${name}`);
  return { ...item, manifest: { license: item.manifest.licenses?.[0]?.type, ...item.manifest } };
}

function apacheTextOf(root, swagger, { id, name, manifest }) {
  if (manifest.license !== 'Apache-2.0') throw new Error(`${id} has another license than Apache-2.0.`);
  return `${withoutText[name]}\n\n${licenseTextOf(root, swagger, [])}`;
}

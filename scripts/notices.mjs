/** Writes the notices that licenses require for the code in the bundle, and the software bill of materials. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { listBundledPackages, readPackage, sortPackages } from './bundled-packages.mjs';
import { swaggerPackage } from './docs-page.mjs';
import {
  assertEmbeddedCode,
  authorOf,
  embeddedCode,
  legalCommentsOf,
  licenseOf,
  licenseTextOf,
  needsSource,
} from './licenses.mjs';
import { renderSbom } from './sbom.mjs';
import { readSwaggerNotices } from './swagger-ui-notices.mjs';

const line = '='.repeat(80);

/**
 * Writes THIRD-PARTY-NOTICES.txt and sbom.cdx.json.
 * @param metafile the metafile of esbuild for all files of the package
 * @param embedded code of other projects in bundled packages
 * @throws if the license of a package is not allowed, its text is missing, an entry of `embedded` is not bundled, or the
 *   notices for the packages in swagger-ui-dist are for another version
 */
export function writeNotices({ root, metafile, outdir, env = process.env, embedded = embeddedCode }) {
  const readJson = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
  const project = readJson('package.json');
  const readInstalled = (name) => readPackage(root, `node_modules/${name}`);
  const packages = {
    bundled: listBundledPackages({ root, metafile }),
    copied: [readInstalled(swaggerPackage)],
    dependency: Object.keys(project.dependencies).map(readInstalled),
  };
  assertEmbeddedCode(packages.bundled, embedded);
  const sbom = renderSbom({ project, lock: readJson('package-lock.json'), packages, epoch: env.SOURCE_DATE_EPOCH });
  writeFileSync(path.join(outdir, 'THIRD-PARTY-NOTICES.txt'), renderNotices({ root, project, packages, embedded }));
  writeFileSync(path.join(outdir, 'sbom.cdx.json'), `${JSON.stringify(sbom, undefined, 2)}\n`);
}

/** Dependencies are absent unless they are also bundled: users install them with their own licenses. */
function renderNotices({ root, project, packages, embedded }) {
  const included = sortPackages([...packages.bundled, ...packages.copied]);
  const introduction = `Third-party notices

The package ${project.name} contains code of the packages below, under their own licenses. The files of
${swaggerPackage} are in dist/openapi; its notice includes the licenses of the packages in these files.
`;
  const notices = included.map((item) => renderNotice(root, item, embedded));
  return [introduction, ...notices].join(`\n${line}\n`);
}

function renderNotice(root, item, embedded) {
  const text = licenseTextOf(root, item, embedded);
  const comments = legalCommentsOf(root, item).filter((comment) => !text.includes(comment));
  const paragraphs = [
    [`${item.name} ${item.version}`, `License: ${licenseOf(item)}`, ...creditOf(text, item)].join('\n'),
    needsSource(item) ? `Source: ${sourceOf(item)}` : undefined,
    text,
    comments.length > 0 ? `Notices in its files:\n\n${comments.join('\n\n')}` : undefined,
    item.name === swaggerPackage ? readSwaggerNotices(root, item) : undefined,
  ];
  return `${paragraphs.filter((paragraph) => paragraph !== undefined).join('\n\n')}\n`;
}

/** Returns the author of a package whose license text names no copyright holder. */
function creditOf(text, { manifest }) {
  const author = authorOf(manifest);
  return author === undefined || /^\s*Copyright (?!\[|and |notice)/m.test(text) ? [] : [`Author: ${author}`];
}

function sourceOf({ id, name, version, manifest: { repository } }) {
  const url = (typeof repository === 'string' ? repository : repository?.url)?.replace(/^git(\+https)?:/, 'https:');
  if (url === undefined) throw new Error(`${id} has no "repository" in package.json, which its license requires.`);
  return `${url} and https://www.npmjs.com/package/${name}/v/${version}`;
}

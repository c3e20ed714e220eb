/** Renders the software bill of materials, as CycloneDX 1.6: the packages in the bundle, and those that users install. */
import { sortPackages } from './bundled-packages.mjs';
import { licenseOf } from './licenses.mjs';

/** The property of a component that reports why it is listed: `bundled`, `copied`, or installed as a `dependency`. */
const inclusion = 'iam-standin:inclusion';

/**
 * The same inputs result in the same document: it has no serial number, and no time without SOURCE_DATE_EPOCH.
 * @param project package.json of the project
 * @param lock package-lock.json of the project
 * @param packages lists of packages by inclusion; a package may be in several
 * @param epoch SOURCE_DATE_EPOCH, in seconds since 1970
 */
export function renderSbom({ project, lock, packages, epoch }) {
  const main = { type: 'application', ...identityOf(project), licenses: licensesOf(project.license) };
  const components = mergeLists(packages).map(([item, reasons]) => componentOf(item, reasons, lock));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      ...(epoch && { timestamp: new Date(Number(epoch) * 1000).toISOString() }),
      lifecycles: [{ phase: 'build' }],
      component: main,
    },
    components,
    dependencies: [{ ref: main['bom-ref'], dependsOn: components.map((component) => component['bom-ref']) }],
  };
}

/** Returns each package once, sorted, with the reasons why it is listed. */
function mergeLists(packages) {
  const all = Object.values(packages).flat();
  const distinct = [...new Map(all.map((item) => [item.id, item])).values()];
  const reasonsFor = ({ id }) => Object.keys(packages).filter((key) => packages[key].some((item) => item.id === id));
  return sortPackages(distinct).map((item) => [item, reasonsFor(item)]);
}

function componentOf(item, reasons, lock) {
  const hashes = hashesOf(lock.packages[item.folder]?.integrity);
  return {
    type: 'library',
    ...identityOf(item),
    ...(hashes && { hashes }),
    licenses: licensesOf(licenseOf(item)),
    properties: reasons.map((value) => ({ name: inclusion, value })),
  };
}

/** Returns the name as CycloneDX splits it, and the package URL (purl). */
function identityOf({ name, version }) {
  const [group, local] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = `pkg:npm/${group ? `${encodeURIComponent(group)}/` : ''}${local}@${encodeURIComponent(version)}`;
  return { 'bom-ref': purl, ...(group && { group }), name: local, version, purl };
}

/** Converts the hashes of the lock file, such as `sha512-<base64>`. */
function hashesOf(integrity) {
  return integrity?.split(' ').map((hash) => {
    const [algorithm, digest] = hash.split(/-(.*)/);
    return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') };
  });
}

function licensesOf(expression) {
  return / /.test(expression) ? [{ expression }] : [{ license: { id: expression } }];
}

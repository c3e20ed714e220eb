/** What the packed package may contain. Functions return what is wrong, so that tests can also try them with mistakes. */
import { builtinModules } from 'node:module';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build, type Metafile } from 'esbuild';
import { publint } from 'publint';

/** Files that others refer to by name. */
const required = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'bin/iam',
  'bin/iam.js',
  'bin/package.json',
  'data/seed.json',
  'dist/THIRD-PARTY-NOTICES.txt',
  'dist/cli.cjs',
  'dist/client.cjs',
  'dist/client.d.cts',
  'dist/client.d.ts',
  'dist/client.js',
  'dist/completions/_iam',
  'dist/completions/iam.bash',
  'dist/completions/iam.fish',
  'dist/console/index.html',
  'dist/docs/cli.md',
  'dist/docs/control-openapi.json',
  'dist/docs/control.md',
  'dist/host-web.cjs',
  'dist/host.cjs',
  'dist/index.cjs',
  'dist/index.d.cts',
  'dist/index.d.ts',
  'dist/index.js',
  'dist/openapi/index.html',
  'dist/openapi/page.css',
  'dist/openapi/page.js',
  'dist/openapi/swagger-ui-bundle.js',
  'dist/openapi/swagger-ui-bundle.js.LICENSE.txt',
  'dist/openapi/swagger-ui.LICENSE.txt',
  'dist/openapi/swagger-ui.NOTICE.txt',
  'dist/openapi/swagger-ui.css',
  'dist/sbom.cdx.json',
  'dist/server.cjs',
  'dist/testcontainers.cjs',
  'dist/testcontainers.d.cts',
  'dist/testcontainers.d.ts',
  'dist/testcontainers.js',
  'docs/openapi.json',
  'docs/provisioning.schema.json',
  'docs/seed.schema.json',
  'package.json',
];

/** Files that others find by their folder. */
const families = [
  /^dist\/chunks\/[\w-]+\.cjs$/,
  /^dist\/console\/assets\/[\w-]+\.(?:js|css)(?:\.br)?$/,
  /^dist\/openapi\/[\w.-]+\.(?:html|css|js)\.br$/,
  /^dist\/man\/iam(?:-[a-z-]+)?\.1$/,
  /^docs\/(?:decisions\/|reference\/)?[\w-]+\.md$/,
  /^examples\/[\w-]+\.(?:sh|yaml)$/,
  /^examples\/(?:jest|node-test|vitest)\/(?:package\.json|[\w.-]+\.m?[jt]s)$/,
  /^examples\/(?:curl\/\w+\.sh|go\/(?:go\.mod|\w+\.go)|java\/\w+\.java|python\/\w+\.py)$/,
  /^examples\/replicas\/(?:compose\.yaml|haproxy\.cfg|start\.mjs)$/,
  /^examples\/(?:container\/app\.mjs|systemd\/iam\.service)$/,
];

/** Returns the files that the package must not contain, and those that it lacks. */
export function contentProblems(files: readonly string[]): readonly string[] {
  const unexpected = files.filter((file) => !required.includes(file) && !families.some((family) => family.test(file)));
  const missing = required.filter((file) => !files.includes(file));
  const empty = families.filter((family) => !files.some((file) => family.test(file)));
  return [
    ...unexpected.map((file) => `unexpected: ${file}`),
    ...[...missing, ...empty.map(String)].map((file) => `missing: ${file}`),
  ];
}

/** Returns what is only in one of two lists, and what is in a list twice. */
export function differences(first: readonly string[], second: readonly string[]): readonly string[] {
  const repeated = [first, second].flatMap((list) => list.filter((one, at) => list.indexOf(one) !== at));
  return [
    ...first.filter((one) => !second.includes(one)).map((one) => `only in the first: ${one}`),
    ...second.filter((one) => !first.includes(one)).map((one) => `only in the second: ${one}`),
    ...repeated.map((one) => `twice: ${one}`),
  ];
}

/** Returns the name and folder of the package that contains an input of the bundle; undefined for our own files. */
export function packageOfInput(input: string): { readonly name: string; readonly folder: string } | undefined {
  const [, parent, rest] = /^(.*node_modules\/)(.*)$/.exec(input) ?? [];
  if (parent === undefined || rest === undefined) return undefined;
  const name = packageOf(rest);
  return { name, folder: parent + name };
}

/** Returns the folders of the packages with code in the bundle. */
export function packageFolders({ outputs }: Metafile): readonly string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const files = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
  return [...new Set(files.flatMap((file) => packageOfInput(file)?.folder ?? []))];
}

/** Returns the packages that the bundle imports at run time. */
export function externalPackages({ outputs }: Metafile): readonly string[] {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  const external = imports.filter((one) => one.external && !isNode(one.path)).map((one) => packageOf(one.path));
  return [...new Set(external)].sort();
}

/** Returns the packages that code finds by name, to load them in a thread. */
export function resolvedPackages(code: string): readonly string[] {
  return [...code.matchAll(/\.resolve\("([@\w/-]+)"\)/g)].map(([, specifier = '']) => packageOf(specifier));
}

/** Whether a module belongs to Node; newer versions have more of them than this one. */
function isNode(specifier: string): boolean {
  return specifier.startsWith('node:') || builtinModules.includes(specifier);
}

/** Returns the package of a specifier or of a path in node_modules. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Returns the packages that programs import at run time, by parsing them and the files that they load. */
export async function importedPackages(programs: readonly string[]): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: Object.fromEntries(programs.map((file, at) => [`program-${at}`, file])),
    outdir: 'unused',
    bundle: true,
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
    metafile: true,
    write: false,
  });
  return externalPackages(metafile);
}

/** Returns the source files with code in more than one output. */
export function repeatedInputs({ outputs }: Metafile): readonly string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const files = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
  return files.filter((file, at) => files.indexOf(file) !== at);
}

/** Returns the heading of each notice, as name@version. */
export function packagesInNotices(text: string): readonly string[] {
  return [...text.matchAll(/^={80}\n(\S+) (\d\S*)$/gm)].map(([, name, version]) => `${name}@${version}`);
}

export interface Sbom {
  readonly components: readonly {
    readonly group?: string;
    readonly name: string;
    readonly version: string;
    readonly properties: readonly { readonly name: string; readonly value: string }[];
  }[];
}

/** Returns the components that are included in one way, as name@version. */
export function packagesInSbom({ components }: Sbom, inclusion: string): readonly string[] {
  return components
    .filter(({ properties }) => properties.some(({ value }) => value === inclusion))
    .map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`);
}

/** Returns what publint finds in a package that is unpacked. */
export async function publintProblems(folder: string): Promise<readonly string[]> {
  const { messages } = await publint({ pkgDir: folder, pack: false, strict: true });
  return messages.map(({ code, path: place, args }) => `${code} ${place.join('.')} ${JSON.stringify(args)}`);
}

/** Returns what arethetypeswrong finds. */
export async function typeProblems(tarball: Uint8Array): Promise<readonly string[]> {
  const result = await checkPackage(createPackageFromTarballData(tarball));
  if (result.types === false) return ['the package has no types'];
  const entries = differences(Object.keys(result.entrypoints), ['.', './client', './testcontainers', './package.json']);
  return [...entries, ...result.problems.map((problem) => JSON.stringify(problem))];
}

/** Generates dist/docs/control.md: the routes of the control plane, from their declarations. */
import type { Operation, ResponseDeclaration } from '../../src/contract/operation.ts';
import { controlPrefix } from '../../src/contract/prefix.ts';
import { formatRoles } from '../../src/contract/roles.ts';
import { type ControlRoute, capabilities } from '../../src/server/control/define.ts';
import { controlRoutes } from '../../src/server/control/routes/index.ts';
import { sortByPath } from '../../src/server/openapi/document.ts';
import { SchemaCollection } from '../../src/server/openapi/schemas.ts';
import type { ControlContext } from '../../src/server/request-context.ts';
import { builtPage, code, table } from './markdown.ts';

type Route = Operation<ControlContext>;

const routes = sortByPath(controlRoutes);

/** Renders the page for all routes. */
export function controlPage(): string {
  return builtPage(
    'Control plane',
    `Development and administration endpoints of a server, below ${code(controlPrefix)}. A server without remote access requires no ` +
      'credentials. With `--allow-remote`, callers need the roles that are listed here. ' +
      '`--disable-control-plane` disables the control plane.',
    `[errors.md](../../docs/reference/errors.md) describes the error codes. [control-openapi.json](control-openapi.json) is the OpenAPI document; a server returns it at ${code(`${controlPrefix}/openapi.json`)} and shows it at ${code(`${controlPrefix}/docs`)}.`,
    capabilitiesSection(),
    browsersSection,
    ...routes.map(routeSection),
  );
}

function capabilitiesSection(): string {
  const routesOf = (capability: ControlRoute['capability']) =>
    routes.filter((route) => route.capability === capability).map(({ method, path }) => code(`${method} ${path}`));
  const rows = (Object.keys(capabilities) as ControlRoute['capability'][]).map((name) => [
    code(name),
    capabilities[name].roles,
    routesOf(name).join(', '),
  ]);
  return `## Capabilities\n\nEach route declares one capability. Users need MFA to change something or to see codes or keys; clients must be authenticated.\n\n${table(['Capability', 'Roles', 'Routes'], rows)}`;
}

const browsersSection = `## Browsers

These rules apply on every server, before credentials are checked:

- A request from another site is rejected with 403 ${code('ORIGIN_FOREIGN')}: a foreign ${code('Origin')} or ${code('Origin: null')}, ${code('Sec-Fetch-Site: cross-site')}, and ${code('same-site')} without an ${code('Origin')} of this machine. Such a request creates no sandbox either.
- Other sites may link to ${code(`${controlPrefix}/docs`)}: top-level GET navigation is allowed.
- A page that changes something must send ${code('Content-Type: application/json')} or ${code('X-Requested-With')}; otherwise the request is rejected with 403 ${code('CSRF_HEADER_MISSING')}. Forms can send neither.
- Programs send neither ${code('Origin')} nor ${code('Sec-Fetch-Site')} and are not affected. Node's fetch sends only ${code('Sec-Fetch-Mode')} and counts as a program.
- Without remote access, ${code('Host')} must be a loopback address, localhost, a subdomain of localhost, or a name of ${code('--allowed-host')}, with any port; otherwise the response is 421 ${code('HOST_FOREIGN')}.
- The control plane sends no CORS headers.`;

function routeSection(route: Route): string {
  const { method, path, title, description, roles, statuses, errors, request } = route;
  const facts = [
    `Roles: ${formatRoles(roles)}. Statuses: ${statuses.join(', ')}.`,
    ...(errors.length > 0 ? [`Errors: ${errors.map(code).join(', ')}.`] : []),
  ];
  const parameters = fieldsOf({ ...request.params, ...request.query });
  const body = request.body ? fieldsOf(shapeOf(request.body)) : [];
  const parts = [
    `## ${method} ${controlPrefix}${path}`,
    `${title}. ${description}`,
    facts.join(' '),
    ...(parameters.length > 0 ? [table(['Parameter', 'Description'], parameters)] : []),
    ...(body.length > 0 ? [table(['Body field', 'Description'], body)] : []),
    ...responseTable(route.response),
  ];
  return parts.join('\n\n');
}

function responseTable(response: ResponseDeclaration): string[] {
  const schema = 'page' in response ? response.page : 'body' in response ? response.body : undefined;
  const fields = schema ? fieldsOf(shapeOf(schema)) : [];
  const heading = 'page' in response ? 'Item field' : 'Response field';
  return fields.length > 0 ? [table([heading, 'Description'], fields)] : [];
}

type Schema = Parameters<SchemaCollection['schemaOf']>[0];

function fieldsOf(shape: Readonly<Record<string, Schema>>): string[][] {
  const schemas = new SchemaCollection();
  return Object.entries(shape).map(([name, schema]) => {
    const { description } = schemas.schemaOf(schema, 'input') as { description?: string };
    return [code(name), description ?? ''];
  });
}

function shapeOf(schema: Schema): Readonly<Record<string, Schema>> {
  return 'shape' in schema ? (schema.shape as Readonly<Record<string, Schema>>) : {};
}

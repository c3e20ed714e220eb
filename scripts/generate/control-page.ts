/** docs/control.md: the routes of the control plane, from their declarations. */
import type { Operation, ResponseDeclaration } from '../../src/contract/operation.ts';
import { formatRoles } from '../../src/contract/roles.ts';
import {
  type ControlContext,
  type ControlRoute,
  capabilities,
  controlPrefix,
} from '../../src/server/control/define.ts';
import { controlRoutes } from '../../src/server/control/routes.ts';
import { SchemaCollection } from '../../src/server/openapi/schemas.ts';
import { code, page, table } from './markdown.ts';

type Route = Operation<ControlContext>;

/** The page for all routes. */
export function controlPage(): string {
  return page(
    'Control plane',
    `What a server offers beside the interface, below ${code(controlPrefix)}. On a server that only this machine reaches it asks for no ` +
      'credentials. On a server that others reach (`--allow-remote`), callers need the roles given here. ' +
      '`--disable-control-plane` switches all of it off.',
    capabilitiesPart(),
    browsersPart,
    ...controlRoutes.map(routePart),
  );
}

function capabilitiesPart(): string {
  const routesOf = (capability: ControlRoute['capability']) =>
    controlRoutes
      .filter((route) => route.capability === capability)
      .map(({ method, path }) => code(`${method} ${path}`));
  const rows = (Object.keys(capabilities) as ControlRoute['capability'][]).map((name) => [
    code(name),
    capabilities[name].roles,
    routesOf(name).join(', '),
  ]);
  return `## Capabilities\n\nEach route declares one. A user who changes something or sees a code or a key has shown a second factor; a client has proven itself.\n\n${table(['Capability', 'Roles', 'Routes'], rows)}`;
}

const browsersPart = `## Browsers

These rules hold on every server, before credentials are looked at:

- A request that another site caused is refused with 403 ${code('ORIGIN_FOREIGN')}: a foreign ${code('Origin')} or ${code('Origin: null')}, ${code('Sec-Fetch-Site: cross-site')}, and ${code('same-site')} without an ${code('Origin')} of this machine. Such a request makes no sandbox either.
- A link on another site may lead to ${code(`${controlPrefix}/docs`)}: a top-level GET navigation is served.
- A request of a page that changes something carries ${code('Content-Type: application/json')} or ${code('X-Requested-With')}; else it is refused with 403 ${code('CSRF_HEADER_MISSING')}. No form can send either.
- Programs send neither ${code('Origin')} nor ${code('Sec-Fetch-Site')} and need none of this. Node's fetch sends ${code('Sec-Fetch-Mode')} alone and counts as a program.
- Where only this machine reaches the server, ${code('Host')} is a loopback address, localhost, a name below it, or a name of ${code('--allowed-host')}, with any port; else 421 ${code('HOST_FOREIGN')}.
- No CORS header is ever sent.`;

function routePart(route: Route): string {
  const { method, path, title, description, roles, statuses, errors, request } = route;
  const facts = [
    `Roles: ${formatRoles(roles)}. Statuses: ${statuses.join(', ')}.`,
    ...(errors.length > 0 ? [`Errors of its own: ${errors.map(code).join(', ')}.`] : []),
  ];
  const takes = fieldsOf({ ...request.params, ...request.query });
  const body = request.body ? fieldsOf(shapeOf(request.body)) : [];
  const parts = [
    `## ${method} ${controlPrefix}${path}`,
    `${title}. ${description}`,
    facts.join(' '),
    ...(takes.length > 0 ? [table(['Parameter', 'Meaning'], takes)] : []),
    ...(body.length > 0 ? [table(['Field of the body', 'Meaning'], body)] : []),
    ...answerPart(route.response),
  ];
  return parts.join('\n\n');
}

function answerPart(response: ResponseDeclaration): string[] {
  const schema = 'page' in response ? response.page : 'body' in response ? response.body : undefined;
  const fields = schema ? fieldsOf(shapeOf(schema)) : [];
  const what = 'page' in response ? 'Field of an item' : 'Field of the answer';
  return fields.length > 0 ? [table([what, 'Meaning'], fields)] : [];
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

/** docs/control.md: the routes of the control plane, from their declarations. */
import type { Operation, ResponseDeclaration } from '../../src/contract/operation.ts';
import { describeRoles } from '../../src/contract/roles.ts';
import type { ControlContext } from '../../src/server/control/define.ts';
import { controlPrefix } from '../../src/server/control/define.ts';
import { controlRoutes } from '../../src/server/control/routes.ts';
import { SchemaCollection } from '../../src/server/documents/openapi-schemas.ts';
import { code, page, table } from './markdown.ts';

type Route = Operation<ControlContext>;

/** The page for all routes. */
export function controlPage(): string {
  return page(
    'Control plane',
    `What a server offers beside the interface, below ${code(controlPrefix)}. On a server that only this machine reaches it asks for no ` +
      'credentials, and refuses calls whose Host or Origin is another machine. On a server that others reach, ' +
      'callers need the roles given here. `--no-control` switches all of it off.',
    ...controlRoutes.map(routePart),
  );
}

function routePart(route: Route): string {
  const { method, path, title, description, roles, statuses, errors, request } = route;
  const facts = [
    `Roles: ${describeRoles(roles)}. Statuses: ${statuses.join(', ')}.`,
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

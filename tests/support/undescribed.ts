/** Fields of an answer that the schema of its route does not name: what a newcomer forgets who adds one. */
import { ROUTES } from '../../src/server/routes/index.ts';

type Node = {
  type?: string | readonly string[];
  properties?: Readonly<Record<string, Node>>;
  additionalProperties?: unknown;
  items?: Node;
  required?: readonly string[];
  oneOf?: readonly Node[];
};

/** The first branch whose required fields are all there. */
const branchOf = (branches: readonly Node[], value: unknown): Node =>
  branches.find(({ required = [] }) => required.every((name) => Object.hasOwn(value as object, name))) ?? {};

const fieldsOf = (node: Node, value: unknown, path: string): string[] => {
  if (Array.isArray(value)) return node.items ? fieldsOf(node.items, value[0], `${path}[]`) : [];
  if (node.oneOf) return fieldsOf(branchOf(node.oneOf, value), value, path);
  const { properties } = node;
  if (properties === undefined || node.additionalProperties === true) return [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const described = properties[name];
    const at = path === '' ? name : `${path}.${name}`;
    return described === undefined ? [at] : fieldsOf(described, field, at);
  });
};

const routeOf = (method: string, pathname: string) =>
  ROUTES.filter((route) => route.method === method && route.path.split('/').length === pathname.split('/').length)
    .filter(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname))
    .sort((a, b) => a.path.split(':').length - b.path.split(':').length)[0];

/** Throws with what to do. Answers of `/v1` have the shape of somebody else's interface. */
export const checkDescribed = async (method: string, path: string, response: Response): Promise<void> => {
  const { pathname } = new URL(path, 'http://localhost');
  if (!pathname.startsWith('/api/') || !response.headers.get('content-type')?.startsWith('application/json')) return;
  const route = routeOf(method, pathname);
  const schema = route?.responses[response.status]?.schema as Node | undefined;
  if (route === undefined || schema === undefined) return;
  const fields = fieldsOf(schema, await response.clone().json(), '');
  if (fields.length === 0) return;
  throw new Error(
    `${method} ${route.path} answers with ${fields.map((field) => `\`${field}\``).join(', ')}, which its schema does not name. ` +
      `Describe it under \`responses\` of the route in src/server/routes/ (or in src/server/schemas.ts), then run \`npm run reference\`. ` +
      `Where the page shows it, name it in web/src/state/api.ts too.`,
  );
};

/** Reads a JSON Schema once: what is wrong with it, its patterns, and where its references lead. */
import { err, isObject, ok, type Result } from '../lib/result.ts';
import { patternProblem } from '../patterns/index.ts';
import { isSchema, KEYWORDS, type Schema, type SchemaObject } from './keywords.ts';
import { parseReference, resolveUri } from './references.ts';

/** What is wrong, and where in the schema. */
export interface SchemaProblem {
  readonly path: Path;
  readonly message: string;
}

type Path = readonly (string | number)[];

/** A schema with an identifier of its own, and what is below it up to the next one. */
export interface SchemaResource {
  readonly uri: string;
  readonly root: SchemaObject;
  readonly anchors: Map<string, SchemaObject>;
  readonly dynamicAnchors: Map<string, SchemaObject>;
}

/** What is known about a schema besides its keywords. */
export interface SchemaNode {
  readonly resource: SchemaResource;
  /** What `$ref` means. */
  ref?: Schema;
  /** What `$dynamicRef` means where no resource that leads here has its own. */
  dynamicRef?: { readonly schema: Schema; readonly anchor: string | undefined };
}

export interface SchemaIndex {
  readonly nodes: ReadonlyMap<SchemaObject, SchemaNode>;
  readonly patterns: readonly string[];
}

/** Levels of nesting, and schemas of one schema: far more than people write. */
const MAX_DEPTH = 64;
const MAX_SCHEMAS = 5_000;
const MAX_PROBLEMS = 20;
/** The address of a schema without `$id`: nothing is ever fetched. */
const ROOT_URI = 'schema:/';

/** Nothing is fetched: a reference that leads out of the schema is a problem. */
export function indexSchema(root: SchemaObject): Result<SchemaIndex, readonly SchemaProblem[]> {
  const reader = new SchemaReader(root);
  reader.read();
  const { nodes, patterns, problems } = reader;
  return problems.length === 0 ? ok({ nodes, patterns }) : err(problems);
}

interface Pending {
  readonly node: SchemaNode;
  readonly keyword: '$ref' | '$dynamicRef';
  readonly reference: string;
  readonly path: Path;
}

class SchemaReader {
  readonly nodes = new Map<SchemaObject, SchemaNode>();
  readonly patterns: string[] = [];
  readonly problems: SchemaProblem[] = [];
  readonly #root: SchemaObject;
  readonly #resources = new Map<string, SchemaResource>();
  readonly #pending: Pending[] = [];

  constructor(root: SchemaObject) {
    this.#root = root;
  }

  read(): void {
    this.#visit(this.#root, undefined, []);
    // A reference may lead to a place that no keyword has shown to be a schema.
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) this.#resolve(next);
  }

  #fail(path: Path, message: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ path, message });
  }

  #visit(schema: unknown, outer: SchemaResource | undefined, path: Path): void {
    if (typeof schema === 'boolean') return;
    if (!isObject(schema)) {
      this.#fail(path, 'expected a schema: an object, true or false');
      return;
    }
    if (this.nodes.has(schema)) return;
    if (path.length > MAX_DEPTH) {
      this.#fail(path, `at most ${MAX_DEPTH} levels of schemas`);
      return;
    }
    if (this.nodes.size === MAX_SCHEMAS) {
      if (this.problems.length === 0) this.#fail(path, `at most ${MAX_SCHEMAS} schemas`);
      return;
    }
    const node: SchemaNode = { resource: this.#resourceOf(schema, outer, path) };
    this.nodes.set(schema, node);
    this.#nameIt(schema, node, path);
    for (const [name, value] of Object.entries(schema)) this.#keyword(name, value, { node, path: [...path, name] });
  }

  #keyword(name: string, value: unknown, { node, path }: { node: SchemaNode; path: Path }): void {
    const keyword = KEYWORDS.get(name);
    const problem = keyword?.problem?.(value);
    if (problem !== undefined) {
      this.#fail(path, problem);
      return;
    }
    if (name === 'pattern') this.patterns.push(String(value));
    if (keyword?.namesPatterns) this.#patternNames(Object.keys(Object(value)), path);
    if (name === '$ref' || name === '$dynamicRef') {
      this.#pending.push({ node, keyword: name, reference: String(value), path });
    }
    if (keyword?.nesting === 'value') this.#visit(value, node.resource, path);
    else if (keyword?.nesting !== undefined) {
      const isList = Array.isArray(value);
      for (const [at, one] of Object.entries(Object(value))) {
        this.#visit(one, node.resource, [...path, isList ? Number(at) : at]);
      }
    }
  }

  #patternNames(names: readonly string[], path: Path): void {
    for (const pattern of names) {
      this.patterns.push(pattern);
      const message = patternProblem(pattern);
      if (message !== undefined) this.#fail([...path, pattern], message);
    }
  }

  #resourceOf(schema: SchemaObject, outer: SchemaResource | undefined, path: Path): SchemaResource {
    const id = schema['$id'];
    if (outer !== undefined && typeof id !== 'string') return outer;
    const uri = typeof id === 'string' ? resolveUri(id, outer?.uri ?? ROOT_URI)?.replace(/#$/, '') : ROOT_URI;
    if (uri === undefined || uri.includes('#')) this.#fail([...path, '$id'], 'expected a URI without a fragment');
    const made = { uri: uri ?? ROOT_URI, root: schema, anchors: new Map(), dynamicAnchors: new Map() };
    if (this.#resources.has(made.uri)) this.#fail([...path, '$id'], 'another schema has this identifier');
    this.#resources.set(made.uri, made);
    return made;
  }

  #nameIt(schema: SchemaObject, { resource }: SchemaNode, path: Path): void {
    for (const keyword of ['$anchor', '$dynamicAnchor'] as const) {
      const name = schema[keyword];
      if (typeof name !== 'string') continue;
      const known = resource.anchors.get(name) ?? schema;
      if (known !== schema) this.#fail([...path, keyword], 'another schema has this name');
      resource.anchors.set(name, schema);
      if (keyword === '$dynamicAnchor') resource.dynamicAnchors.set(name, schema);
    }
  }

  #resolve({ node, keyword, reference, path }: Pending): void {
    const parsed = parseReference(reference, node.resource.uri);
    const resource = parsed && this.#resources.get(parsed.uri);
    if (resource === undefined) {
      this.#fail(path, 'this schema has nothing of this address, and schemas are not fetched: put it into $defs');
      return;
    }
    const found =
      parsed?.pointer === undefined
        ? { schema: resource.anchors.get(parsed?.anchor ?? ''), resource }
        : this.#follow(parsed.pointer, resource);
    if (!isSchema(found.schema)) {
      this.#fail(path, 'there is no schema at this place');
      return;
    }
    this.#visit(found.schema, found.resource, path);
    if (keyword === '$ref') node.ref = found.schema;
    else {
      const anchor =
        parsed?.anchor !== undefined && resource.dynamicAnchors.has(parsed.anchor) ? parsed.anchor : undefined;
      node.dynamicRef = { schema: found.schema, anchor };
    }
  }

  /** Steps through any members, also those that are no keywords. */
  #follow(pointer: readonly string[], from: SchemaResource): { schema: unknown; resource: SchemaResource } {
    let resource = from;
    let at: unknown = from.root;
    for (const step of pointer) {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return { schema: undefined, resource };
      at = (at as Readonly<Record<string, unknown>>)[step]; // an object or a list, whose indexes are names too
      if (isObject(at)) resource = this.nodes.get(at)?.resource ?? resource;
    }
    return { schema: at, resource };
  }
}

import { isObject } from '@gatehouse/crds';
import { indexSchema, type SchemaIndex, type SchemaObject } from '@gatehouse/crds/json-schema';
import { COMBINING, conditional, dynamicReference, reference } from './combine.ts';
import { contains, items, members, propertyNames, unevaluatedItems, unevaluatedProperties } from './containers.ts';
import { ALWAYS, type Compiler, type LateNode, NEVER, type Node, type Plain, type Stepwise } from './node.ts';
import { hasUniqueItems, matchesPattern, oneOfValues, PLAIN } from './scalars.ts';

/** Undefined: it is no JSON Schema. */
export function compileNodes(schema: SchemaObject): LateNode | undefined {
  const index = indexSchema(schema);
  return index.ok ? new Nodes(index.value).node(schema) : undefined;
}

/** Schemas are compiled when they are needed for the first time: most parts of a large one never are. */
class Nodes implements Compiler {
  readonly #index: SchemaIndex;
  readonly #made = new Map<SchemaObject, Node>();

  constructor(index: SchemaIndex) {
    this.#index = index;
  }

  node(schema: unknown): LateNode {
    if (!isObject(schema)) return schema === false ? () => NEVER : () => ALWAYS;
    return () => {
      const made = this.#made.get(schema) ?? this.#compile(schema);
      this.#made.set(schema, made);
      return made;
    };
  }

  #compile(schema: SchemaObject): Node {
    const known = this.#index.nodes.get(schema);
    const plain: Plain[] = [];
    const stepwise: Stepwise[] = [];
    for (const [name, operand] of Object.entries(schema)) {
      const make = PLAIN.get(name);
      if (make !== undefined) plain.push(make(operand));
      const combine = COMBINING.get(name);
      if (combine !== undefined) stepwise.push(combine(operand, this));
    }
    this.#values(schema, plain, stepwise);
    if (known?.ref !== undefined) stepwise.push(reference(known.ref, this));
    if (known?.dynamicRef !== undefined) stepwise.push(dynamicReference(known.dynamicRef, this));
    if (schema['if'] !== undefined) stepwise.push(conditional(schema, this));
    this.#containers(schema, stepwise);
    const looksBack = schema['unevaluatedProperties'] !== undefined || schema['unevaluatedItems'] !== undefined;
    return { resource: known?.resource, plain, stepwise, looksBack };
  }

  #values(schema: SchemaObject, plain: Plain[], stepwise: Stepwise[]): void {
    const add = (made: ReturnType<typeof oneOfValues>): void => {
      if ('plain' in made) plain.push(made.plain);
      else stepwise.push(made.stepwise);
    };
    if (Object.hasOwn(schema, 'const')) add(oneOfValues([schema['const']], 'must be the constant'));
    if (Array.isArray(schema['enum'])) add(oneOfValues(schema['enum'], 'must be one of the allowed values'));
    if (schema['uniqueItems'] === true) stepwise.push(hasUniqueItems);
    if (schema['pattern'] !== undefined) stepwise.push(matchesPattern(schema['pattern']));
  }

  #containers(schema: SchemaObject, stepwise: Stepwise[]): void {
    const has = (...names: string[]): boolean => names.some((name) => schema[name] !== undefined);
    if (has('properties', 'patternProperties', 'additionalProperties')) stepwise.push(members(schema, this));
    if (has('propertyNames')) stepwise.push(propertyNames(schema['propertyNames'], this));
    if (has('prefixItems', 'items')) stepwise.push(items(schema, this));
    if (has('contains')) stepwise.push(contains(schema, this));
    if (has('unevaluatedProperties')) stepwise.push(unevaluatedProperties(schema['unevaluatedProperties'], this));
    if (has('unevaluatedItems')) stepwise.push(unevaluatedItems(schema['unevaluatedItems'], this));
  }
}

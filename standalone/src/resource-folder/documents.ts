/** Parses YAML and JSON into documents that can locate each of their fields. */
import { err, ok, type Result } from '@gatehouse/crds';
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';

export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

export type FieldPath = readonly (string | number)[];

export interface SourceDocument {
  readonly value: unknown;
  /** The position of the field at a path; for a missing field that of its nearest parent. */
  locate(path: FieldPath): Position;
}

export interface SyntaxProblem extends Position {
  readonly message: string;
}

export interface ParsedText {
  readonly documents: readonly SourceDocument[];
  /** Any of these makes the whole text unusable. */
  readonly problems: readonly SyntaxProblem[];
}

interface Nodes {
  readonly documents: readonly Document.Parsed[];
  readonly lines: LineCounter;
}

/** How often aliases may repeat nodes of a document: enough for shared blocks, too few for an alias bomb. */
const MAX_ALIAS_COUNT = 100;
/** Problems reported per text; the first ones are the most useful. */
const MAX_PROBLEMS = 20;
const START: Position = { line: 1, column: 1 };

/** Editors of Windows begin a file with it. */
const BYTE_ORDER_MARK = '\ufeff';

/** Parses all documents of a text, with or without a byte order mark. JSON is parsed as YAML. */
export function parseText(given: string): ParsedText {
  const text = given.startsWith(BYTE_ORDER_MARK) ? given.slice(1) : given;
  const nodes = attempt(() => toNodes(text));
  if (!nodes.ok) return { documents: [], problems: [{ ...START, message: nodes.error }] };
  const { documents, lines } = nodes.value;
  const problems = documents.flatMap(({ errors }) => {
    // Later errors of a document are mostly consequences of the first.
    const [first] = [...errors].sort((a, b) => a.pos[0] - b.pos[0]);
    return first === undefined ? [] : [{ ...positionOf(lines, first.pos[0]), message: first.message }];
  });
  const read = problems.length > 0 ? [] : documents.map((document, i) => toDocument(document, () => toNodes(text), i));
  const bad = read.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  const all = [...problems, ...bad].slice(0, MAX_PROBLEMS);
  return { documents: all.length > 0 ? [] : read, problems: all };
}

/** The parser throws when nesting exceeds its stack, and conversion throws when aliases exceed their limit. */
function attempt<T>(run: () => T): Result<T, string> {
  try {
    return ok(run());
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}

function toNodes(text: string): Nodes {
  const lines = new LineCounter();
  const options = { version: '1.2', uniqueKeys: true, prettyErrors: false, lineCounter: lines } as const;
  return { documents: [...parseAllDocuments(text, options)], lines };
}

interface ReadDocument extends SourceDocument {
  readonly problem: SyntaxProblem | undefined;
}

/** Nodes are much larger than their values: they are dropped, and parsed again when a position is needed. */
function toDocument(document: Document.Parsed, again: () => Nodes, index: number): ReadDocument {
  const value = attempt<unknown>(() => document.toJS({ maxAliasCount: MAX_ALIAS_COUNT }));
  let nodes: Nodes | undefined;
  const locate = (path: FieldPath): Position => {
    nodes ??= again();
    const own = nodes.documents[index];
    return own === undefined ? START : positionOf(nodes.lines, offsetOf(own, path));
  };
  if (value.ok) return { value: value.value, locate, problem: undefined };
  return { value: undefined, locate, problem: { ...locate([]), message: value.error } };
}

function positionOf(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return line === 0 ? START : { line, column: col };
}

/** The offset of the key of the last field on the path that exists, or of the item of a list. */
function offsetOf(document: Document.Parsed, path: FieldPath): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? document.range[0];
  for (const step of path) {
    const child = childOf(isAlias(node) ? node.resolve(document) : node, step);
    if (child === undefined) break;
    offset = child.offset ?? offset;
    node = child.node;
  }
  return offset;
}

function childOf(
  node: unknown,
  step: string | number,
): { readonly node: unknown; readonly offset: number | undefined } | undefined {
  if (isSeq(node) && typeof step === 'number') {
    const item = node.items[step];
    return item === undefined ? undefined : { node: item, offset: startOf(item) };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
  return pair === undefined ? undefined : { node: pair.value, offset: startOf(pair.key) };
}

const startOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);

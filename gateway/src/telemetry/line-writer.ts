import { type DestinationStream, type Logger, pino } from 'pino';

const { symbols } = pino;

/** What a logger makes its lines of; pino names the parts for libraries that write lines themselves. */
interface LineParts {
  /** The start of a line, by level. */
  readonly [symbols.lsCacheSym]: Readonly<Record<number, string>>;
  readonly [symbols.timeSym]: () => string;
  /** The members that all lines of the logger have. */
  readonly [symbols.chindingsSym]: string;
  readonly [symbols.endSym]: string;
  readonly [symbols.streamSym]: DestinationStream;
}

/**
 * Writes lines of level `info` whose members are JSON text already, e.g. `,"a":1`: the same line to the same place as
 * `logger.info({ a: 1 }, message)`. For what every request writes. The caller asks for the level and leaves out secrets.
 */
export function createLineWriter(logger: Logger, message: string): (members: string) => void {
  const parts = logger as unknown as LineParts; // pino's type does not list them
  const time = parts[symbols.timeSym];
  const stream = parts[symbols.streamSym];
  const start = parts[symbols.lsCacheSym][pino.levels.values['info'] ?? 0] ?? '';
  const bindings = parts[symbols.chindingsSym];
  const end = `,"msg":${JSON.stringify(message)}${parts[symbols.endSym]}`;
  return (members) => void stream.write(start + time() + bindings + members + end);
}

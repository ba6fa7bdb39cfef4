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
 * Writes the lines that `logger.info(members, message)` writes, without its search for secrets and its look at each member: for
 * what every request writes. At least one member is not undefined, none is an Error, and the caller has asked for the level.
 */
export function createLineWriter(logger: Logger, message: string): (members: object) => void {
  const parts = logger as unknown as LineParts; // pino's type does not list them
  const time = parts[symbols.timeSym];
  const stream = parts[symbols.streamSym];
  const start = parts[symbols.lsCacheSym][pino.levels.values['info'] ?? 0] ?? '';
  const bindings = parts[symbols.chindingsSym];
  const end = `,"msg":${JSON.stringify(message)}${parts[symbols.endSym]}`;
  return (members) => void stream.write(`${start}${time()}${bindings},${JSON.stringify(members).slice(1, -1)}${end}`);
}

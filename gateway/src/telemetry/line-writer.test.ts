import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineWriter } from './line-writer.ts';
import { createLogger, type Logger } from './logger.ts';

/** Control characters, quotes and lone surrogates among ordinary text. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('', '"', '\\', '\n', '\u007f', '\u2028', '\ud800', '\udc00x', '__proto__', 'toString'),
);
const scalar = fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constantFrom(undefined, null, -0, 1e21));
const { members } = fc.letrec<{ value: unknown; members: Record<string, unknown> }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(tie('value'), { maxLength: 3 }), tie('members')),
  members: fc.dictionary(
    text.map((name) => `${name}.`), // no name of a secret, nor of an error
    tie('value'),
    { maxKeys: 5 },
  ),
}));

/** What is written to the destination of a logger with members of its own. */
function written(write: (logger: Logger) => void): string[] {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line.replace(/"time":"[^"]+"/, '"time":""')) };
  write(createLogger({ level: 'info', service: 's', destination }).child({ pod: 'p"1' }));
  return lines;
}

test('a line writer writes what its logger writes, whatever the members are', () => {
  fc.assert(
    fc.property(members, text, (others, message) => {
      const given = { first: 1, ...others };
      const want = written((logger) => logger.info(given, message));
      expect(written((logger) => createLineWriter(logger, message)(given))).toEqual(want);
    }),
  );
});

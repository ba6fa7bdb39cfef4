import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { MAX_HELD_CHARS, OVERLAP_CHARS, TextWindows, type WindowOptions, type WindowVerdict } from './window.ts';

const PASS = { kind: 'pass' } as const;

interface Outcome {
  readonly out: string;
  readonly denied: string | undefined;
}

/** Sends the pieces through windows. */
async function through(pieces: readonly string[], options: WindowOptions<string>): Promise<Outcome> {
  const windows = new TextWindows(options);
  const raw = pieces.join('');
  let at = 0;
  let out = '';
  const drain = async (): Promise<string | undefined> => {
    while (windows.isDue) {
      const step = await windows.step();
      if (step.kind === 'deny') return step.denial;
      for (const { length, text } of step.releases) {
        out += text ?? raw.slice(at, at + length);
        at += length;
      }
    }
    return undefined;
  };
  for (const text of pieces) {
    windows.add({ part: '0', text });
    const denied = await drain();
    if (denied !== undefined) return { out, denied };
  }
  windows.end('all');
  return { denied: await drain(), out };
}

const denies = (pattern: RegExp): WindowOptions<string>['check'] =>
  vi.fn(async (texts: readonly string[]): Promise<WindowVerdict<string>> => {
    const found = texts.map((text) => pattern.exec(text)?.[0]).find((match) => match !== undefined);
    return found === undefined ? PASS : { kind: 'deny', denial: found };
  });

const redacts = (pattern: RegExp): WindowOptions<string>['check'] =>
  vi.fn(async (texts: readonly string[]): Promise<WindowVerdict<string>> => {
    return { kind: 'pass', texts: texts.map((text) => text.replaceAll(pattern, '#')) };
  });

const words = (count: number): string => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');

describe('windows that only look', () => {
  test('release what was checked, whole words at a time', async () => {
    const seen: string[] = [];
    const check = async (texts: readonly string[]) => {
      seen.push(...texts);
      return PASS;
    };
    expect(await through(['one two three four'], { size: 10, changesTexts: false, check })).toMatchObject({
      out: 'one two three four',
    });
    expect(seen).toEqual(['one two ', 'one two three ', 'one two three four']);
  });

  test('find a match over the border of two windows, and release nothing behind the window that fails', async () => {
    const text = `${words(40)} forbidden fruit ${words(40)}`;
    const { out, denied } = await through([text], { size: 30, changesTexts: false, check: denies(/forbidden fruit/) });
    expect(denied).toBe('forbidden fruit');
    expect(text.startsWith(out)).toBe(true);
    expect(out.length).toBeLessThan(text.indexOf('fruit'));
  });

  test('do not take a piece of a word for a word', async () => {
    const text = `${'assistant class '.repeat(80)}`;
    const wanted = { out: text, denied: undefined };
    expect(await through([...text], { size: 13, changesTexts: false, check: denies(/\b(?:ass|lass)\b/) })).toEqual(
      wanted,
    );
  });

  test('look at the text once and at what they hold of it, however small they are', async () => {
    const check = denies(/never/);
    const text = 'x'.repeat(1_000);
    expect(await through([text], { size: 1, changesTexts: false, check })).toEqual({ out: text, denied: undefined });
    expect(check).toHaveBeenCalledTimes(1_000);
  });
});

describe('windows that change texts', () => {
  test('never release half a match', async () => {
    const text = `${words(100)} 4111 1111 1111 1111 ${words(100)}`;
    const check = redacts(/\b(?:\d{4} ){3}\d{4}\b/g);
    const { out } = await through([...text], { size: 50, changesTexts: true, check });
    expect(out).toBe(text.replace('4111 1111 1111 1111', '#'));
  });

  test('release while matches follow each other', async () => {
    const text = 'a@b.c '.repeat(5_000);
    const check = redacts(/\S+@\S+/g);
    const { out } = await through([text], { size: 100, changesTexts: true, check });
    expect(out).toBe('# '.repeat(5_000));
    const longest = vi.mocked(check).mock.calls.map(([[checked = '']]) => checked.length);
    expect(Math.max(...longest)).toBeLessThan(5_000);
  });

  test('hold no more than the overlap and a window', async () => {
    const windows = new TextWindows({ size: 100, changesTexts: true, check: async () => PASS });
    let released = 0;
    for (let sent = 1; sent <= 200; sent += 1) {
      windows.add({ part: '0', text: 'abcdefghi ' });
      while (windows.isDue) {
        const step = await windows.step();
        if (step.kind === 'release') released += step.releases.reduce((sum, { length }) => sum + length, 0);
      }
      expect(sent * 10 - released).toBeLessThanOrEqual(OVERLAP_CHARS + 100 + 64);
    }
  });

  test('give the same text wherever it is split, which is the text that the checks would make of the whole', async () => {
    const piece = fc.constantFrom('ab ', 'SECRET', ' ', '😀', 'x'.repeat(90), 'abc def ', '\n');
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 60 }),
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 1, max: 50 }),
        async (parts, size, cut) => {
          const text = parts.join('');
          const pieces = text.match(new RegExp(`[^]{1,${cut}}`, 'g')) ?? [];
          const { out } = await through(pieces, { size, changesTexts: true, check: redacts(/SECRET/g) });
          expect(out).toBe(text.replaceAll('SECRET', '#'));
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** Patterns of many lengths, some with what must be around them, and what may occur in texts. */
const PATTERNS = [
  /sk-\w+/g,
  /\S{20,}/g,
  /Secret:[^.]*/g,
  /-----BEGIN KEY-----[\s\S]*?(?:-----END KEY-----|$)/g,
  /(?<=tel )\d+/g,
  /\bcat\b/g,
  /(?<![\w-])[\w-]{40,80}(?![\w-])/g,
  /\S+@\S+/g,
];
const NOISE = fc.constantFrom(
  ...['ab ', ' ', '. ', '#', '😀', 'x'.repeat(90), 'some words of a text ', '\n', 'cat', 'a@b.c ', 'tel ', '4111 '],
  ...[
    'sk-',
    'Secret: ',
    '-----BEGIN KEY-----\n',
    `${'QUJD'.repeat(16)}\n`,
    '-----END KEY-----\n',
    'no '.repeat(120),
    'key',
  ],
);
const TEXT = fc.array(NOISE, { maxLength: 50 }).map((pieces) => pieces.join(''));
const cutInto = (text: string, length: number): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, i) => text.slice(i * length, (i + 1) * length));

describe('windows over matches of any length', () => {
  test.for(['[gone]', '#', 'sk-***', ''])('redact as %j what the checks would redact in the whole', async (instead) => {
    await fc.assert(
      fc.asyncProperty(
        ...([
          TEXT,
          fc.constantFrom(...PATTERNS),
          fc.integer({ min: 1, max: 300 }),
          fc.integer({ min: 1, max: 200 }),
        ] as const),
        async (text, pattern, size, cut) => {
          const check = async (texts: readonly string[]) =>
            ({ kind: 'pass', texts: texts.map((one) => one.replaceAll(pattern, instead)) }) as const;
          const { out } = await through(cutInto(text, cut), { size, changesTexts: true, check });
          expect(out).toBe(text.replaceAll(pattern, instead));
        },
      ),
      { numRuns: 400 },
    );
  });

  test.for([16, 40, 64, 100])('hold a key until its end is known, with windows of %i', async (size) => {
    const text = `${words(60)} sk-proj-${'Oj37HyQz'.repeat(20)} ${words(120)}`;
    const { out } = await through([...text], {
      size,
      changesTexts: true,
      check: redacts(/sk-proj-[\w-]{20,255}(?!\w)/g),
    });
    expect(out).toBe(`${words(60)} # ${words(120)}`);
  });

  test('see a token of several thousand characters that is known by its end', async () => {
    const text = `${words(60)} eyJh.${'x'.repeat(3_000)}.end ${words(120)}`;
    const { out } = await through([text], { size: 50, changesTexts: true, check: redacts(/eyJh\.\w+\.end/g) });
    expect(out).toBe(`${words(60)} # ${words(120)}`);
  });

  test('cut the stream where a match does not end, and release nothing of it', async () => {
    const windows = new TextWindows({ size: 100, changesTexts: true, check: redacts(/sk-\w+/g) });
    windows.add({ part: '0', text: `${words(100)} sk-` });
    let released = 0;
    const rest = async () => {
      for (let sent = 0; sent < 2 * MAX_HELD_CHARS; sent += 100) {
        windows.add({ part: '0', text: 'k'.repeat(100) });
        while (windows.isDue) {
          const step = await windows.step();
          if (step.kind === 'release') released += step.releases.reduce((sum, { length }) => sum + length, 0);
        }
      }
    };
    await expect(rest()).rejects.toMatchObject({ code: 'UPSTREAM_STREAM_BROKEN' });
    expect(released).toBeLessThanOrEqual(words(100).length + 1);
  });

  test('cut the stream where a match begins in what has left', async () => {
    const text = `no ${words(200)} begun end ${words(10)}`;
    const sent = through([text], { size: 50, changesTexts: true, check: redacts(/word190[\s\S]*end/g) });
    expect((await sent).out).toBe(`${text.slice(0, text.indexOf('word190'))}# ${words(10)}`);
    const late = through([text], { size: 50, changesTexts: true, check: redacts(/word150[\s\S]*end/g) });
    await expect(late).rejects.toMatchObject({ code: 'UPSTREAM_STREAM_BROKEN' });
  });

  test('go on where a service numbers its placeholders anew for each text', async () => {
    const check = async (texts: readonly string[]) => {
      const numbered = texts.map((text) => {
        let number = 0;
        return text.replaceAll(/Mr \w+/g, () => `<Person_${++number}>`);
      });
      return { kind: 'pass', texts: numbered } as const;
    };
    const text = `Mr One ${words(60)} Mr Two ${words(30)} Mr Three ${words(30)} Mr Four and Mr Five ${words(20)} Mr Six`;
    for (const size of [16, 64, 300]) {
      const { out } = await through([text], { size, changesTexts: true, check });
      expect(out.replaceAll(/_\d+/g, '')).toBe(text.replaceAll(/Mr \w+/g, '<Person>'));
    }
  });

  test('work in proportion to the text while a match goes on', async () => {
    const check = redacts(/Secret:[^.]*/g);
    await through([`Secret: ${'no '.repeat(5_000)}. Done.`], { size: 1, changesTexts: true, check });
    expect(vi.mocked(check).mock.calls.length).toBeLessThan(2_000);
  });
});

describe('windows over parts', () => {
  test('check a part that ends without waiting for more', async () => {
    const seen: (readonly string[])[] = [];
    const check = async (texts: readonly string[]) => {
      seen.push(texts);
      return { kind: 'pass', texts: texts.map((text) => text.toUpperCase()) } as const;
    };
    const windows = new TextWindows({ size: 100, changesTexts: true, check });
    windows.add({ part: 'a', text: 'first' });
    expect(windows.isDue).toBe(false);
    windows.end(['a']);
    windows.add({ part: 'b', text: 'second' });
    expect(windows.isDue).toBe(true);
    expect(await windows.step()).toEqual({ kind: 'release', releases: [{ part: 'a', length: 5, text: 'FIRST' }] });
    expect(windows.isDue).toBe(false);
    windows.end('all');
    expect(await windows.step()).toEqual({ kind: 'release', releases: [{ part: 'b', length: 6, text: 'SECOND' }] });
    expect(seen).toEqual([['first'], ['second']]);
  });
});

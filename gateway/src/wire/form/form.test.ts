import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../errors/index.ts';
import {
  boundaryOf,
  createFormReader,
  type FormEvent,
  type FormLimits,
  type FormPart,
  formType,
  isForm,
  partHead,
  readParts,
  renamedHead,
  writeForm,
} from './index.ts';

const LIMITS: FormLimits = { parts: 50, headerBytes: 1_024, fieldBytes: 4_096, totalBytes: 100_000 };

/** What a reader found, pieces of files put together. */
interface Found {
  readonly name: string;
  readonly filename: string | undefined;
  readonly content: string;
}

function collect(events: readonly FormEvent[]): Found[] {
  const found: Found[] = [];
  for (const event of events) {
    if (event.kind === 'field') {
      const { name, filename } = event.head;
      found.push({ name, filename, content: event.value.toString('latin1') });
    }
    if (event.kind === 'file') found.push({ name: event.head.name, filename: event.head.filename, content: '' });
    const last = found.at(-1);
    if (event.kind === 'data' && last !== undefined) {
      found[found.length - 1] = { ...last, content: last.content + event.bytes.toString('latin1') };
    }
  }
  return found;
}

function read(pieces: readonly Buffer[], boundary: string, limits: Partial<FormLimits> = {}): Found[] {
  const reader = createFormReader(boundary, { ...LIMITS, ...limits });
  const events = pieces.flatMap((piece) => reader.push(piece));
  reader.end();
  return collect(events);
}

const readText = (text: string, limits: Partial<FormLimits> = {}): Found[] =>
  read([Buffer.from(text, 'latin1')], 'x', limits);

/** The error a form is refused with, also where it arrives byte by byte. */
function refusal(text: string, limits: Partial<FormLimits> = {}): AppError {
  const bytes = Buffer.from(text, 'latin1');
  const errors = [[bytes], [...bytes].map((byte) => Buffer.of(byte))].map((pieces) => {
    try {
      read(pieces, 'x', limits);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
    throw new Error('the form was taken');
  });
  const [first, second] = errors;
  expect(second?.code).toBe(first?.code);
  return first ?? new AppError('INTERNAL');
}

const cut = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const places = [...new Set(cuts.map((at) => at % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...places].map((at, i) => bytes.subarray(at, places[i] ?? bytes.length));
};

async function* pieces(list: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* list;
}

async function written(parts: readonly FormPart[], boundary: string): Promise<Buffer> {
  const out: Buffer[] = [];
  for await (const bytes of writeForm(parts, boundary)) out.push(bytes);
  return Buffer.concat(out);
}

/** Names and contents that are likely to look like the syntax around them. */
const text = fc.string({
  unit: fc.constantFrom('a', 'é', '-', '--', '\r', '\n', '\r\n', 'form-data', ':', ';', '=', '%', ' '),
  maxLength: 40,
});
const name = fc.string({
  unit: fc.constantFrom('a', 'm', '_', '[', ']', '-', ';', ' ', '"'),
  minLength: 1,
  maxLength: 8,
});
const part = fc.record({
  name,
  file: fc.option(fc.constantFrom('a.txt', 'b c.mp3', 'd;e"f'), { nil: undefined }),
  content: text,
});
const escaped = (given: string): string => given.replaceAll('"', '%22');

const toPart = ({ name: of, file, content }: { name: string; file: string | undefined; content: string }): FormPart => {
  const value = Buffer.from(content);
  if (file === undefined) return { kind: 'field', head: partHead(of), value };
  const head = partHead(of, { filename: file, contentType: 'text/plain' });
  return { kind: 'file', head, content: pieces(cut(value, [3, 5])) };
};

describe('a form', () => {
  test('has the same parts however its bytes are cut, and they are what was written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 20 }), async (parts, cuts) => {
        const bytes = await written(parts.map(toPart), 'limit-7f3a');
        const want = parts.map(({ name: of, file, content }) => ({
          name: escaped(of),
          filename: file === undefined ? undefined : escaped(file),
          content: Buffer.from(content).toString('latin1'),
        }));
        expect(read([bytes], 'limit-7f3a')).toEqual(want);
        expect(read(cut(bytes, cuts), 'limit-7f3a')).toEqual(want);
      }),
    );
  });

  test('is read as a whole or refused, whatever the bytes are', () => {
    const piece = fc.constantFrom('--x', '--', '\r\n', '\r', 'content-disposition: form-data; name="a"', 'x', 'é', ';');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 10 }), (words, cuts) => {
        const bytes = Buffer.from(words.join(''));
        const outcome = (list: readonly Buffer[]): unknown => {
          try {
            return read(list, 'x');
          } catch (error) {
            return error instanceof AppError ? error.code : error;
          }
        };
        const whole = outcome([bytes]);
        expect(whole).not.toBeInstanceOf(Error);
        expect(outcome(cut(bytes, cuts))).toEqual(whole);
      }),
    );
  });

  test('passes the pieces of a file on before the file has ended', () => {
    const reader = createFormReader('x', LIMITS);
    const head = '--x\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\n';
    const events = reader.push(Buffer.from(`${head}${'a'.repeat(100)}`));
    expect(collect(events)).toEqual([{ name: 'f', filename: 'a', content: 'a'.repeat(100 - '\r\n--x'.length + 1) }]);
  });

  test('may be empty', () => {
    expect(readText('--x--\r\n')).toEqual([]);
    expect(readText('\r\n--x--')).toEqual([]);
  });
});

const FIELD = 'content-disposition: form-data; name="a"\r\n\r\n1\r\n';

describe('a form is refused', () => {
  test.for([
    { rule: 'without a first boundary', form: `${FIELD}--x--` },
    { rule: 'with a preamble', form: `hello\r\n--x\r\n${FIELD}--x--` },
    { rule: 'with an epilogue', form: `--x\r\n${FIELD}--x--\r\n--x` },
    { rule: 'without an end', form: `--x\r\n${FIELD}` },
    { rule: 'that ends in a boundary', form: `--x\r\n${FIELD}--x` },
    { rule: 'with padding behind a boundary', form: `--x \r\n${FIELD}--x--` },
    { rule: 'with a longer boundary', form: `--x\r\n${FIELD}--xy\r\n${FIELD}--x--` },
    { rule: 'with a boundary behind a bare line feed', form: `--x\r\n${FIELD.trimEnd()}\n--x\r\n${FIELD}--x--` },
    { rule: 'with a boundary inside a value', form: `--x\r\n${FIELD.trimEnd()}--x\r\n${FIELD}--x--` },
    { rule: 'with a part that has no empty line', form: '--x\r\ncontent-disposition: form-data; name="a"\r\n--x--' },
    { rule: 'with a part without headers', form: '--x\r\n\r\n1\r\n--x--' },
    { rule: 'with a header that goes on in a second line', form: `--x\r\nA: b\r\n c\r\n${FIELD}--x--` },
    { rule: 'with a line feed in a header', form: `--x\r\nA: b\nc: d\r\n${FIELD}--x--` },
    { rule: 'with two dispositions', form: `--x\r\ncontent-disposition: form-data; name="b"\r\n${FIELD}--x--` },
    { rule: 'with an encoded part', form: `--x\r\ncontent-transfer-encoding: base64\r\n${FIELD}--x--` },
    ...[
      ...['form-data', 'form-data; name=""', 'attachment; name="a"', 'form-data; name="a"; name="b"'],
      ...[
        'form-data; name*=utf-8',
        'form-data; name="a\\"; filename="b"',
        'form-data; name="a" b',
        'form-data; name="a',
      ],
    ].map((value) => ({ rule: `with ${value}`, form: `--x\r\ncontent-disposition: ${value}\r\n\r\n1\r\n--x--` })),
  ])('$rule', ({ form }) => {
    expect(refusal(form)).toMatchObject({ code: 'BODY_NOT_FORM', param: expect.stringMatching(/^(a|part 1)$/) });
  });

  const two = `--x\r\n${FIELD}--x\r\ncontent-disposition: form-data; name="b"\r\n\r\nlong value\r\n--x--`;
  test.for<{ rule: string; limits: Partial<FormLimits>; code: string; param: string }>([
    { rule: 'with too many parts', limits: { parts: 1 }, code: 'BODY_TOO_COMPLEX', param: 'part 2' },
    { rule: 'with too long headers', limits: { headerBytes: 10 }, code: 'BODY_TOO_COMPLEX', param: 'part 1' },
    { rule: 'with too long a field', limits: { fieldBytes: 9 }, code: 'BODY_TOO_LARGE', param: 'b' },
    { rule: 'that is too large', limits: { totalBytes: two.length - 1 }, code: 'BODY_TOO_LARGE', param: 'part 1' },
  ])('$rule, and the error names the part', ({ limits, code, param }) => {
    expect(refusal(two, limits).code).toBe(code);
    expect(() => readText(two, limits)).toThrow(expect.objectContaining({ param }));
  });

  test('within its limits to the byte it is not', () => {
    const limits = { parts: 2, headerBytes: 40, fieldBytes: 10, totalBytes: two.length };
    expect(readText(two, limits).map(({ content }) => content)).toEqual(['1', 'long value']);
  });
});

describe('the boundary of a content type', () => {
  test.for([
    ['multipart/form-data; boundary=x', 'x'],
    ['Multipart/Form-Data;boundary="a b"; charset=utf-8', 'a b'],
    ['multipart/form-data; charset=utf-8; BOUNDARY=----WebKitFormBoundaryAbc', '----WebKitFormBoundaryAbc'],
  ] as const)('%s is %s', ([type, want]) => {
    expect(boundaryOf(type)).toBe(want);
    expect(isForm(type)).toBe(true);
  });

  test.for([
    ...['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary="a "'],
    ...[
      'multipart/form-data; boundary=a; boundary=b',
      'multipart/form-data; boundary="a\\b"',
      'multipart/mixed; boundary=x',
    ],
    ...['multipart/form-data; boundary=ü', `multipart/form-data; boundary=${'a'.repeat(71)}`, 'multipart/form-data x'],
  ])('%s is refused', (type) => {
    expect(() => boundaryOf(type)).toThrow(expect.objectContaining({ code: 'BODY_NOT_FORM', param: 'content-type' }));
  });
});

describe('the parts of a form', () => {
  test('come one by one, a file with its own pieces, and what is not read of it is skipped', async () => {
    const bytes = await written(
      [
        toPart({ name: 'model', file: undefined, content: 'm' }),
        toPart({ name: 'file', file: 'a.txt', content: 'first file' }),
        toPart({ name: 'other', file: 'b c.mp3', content: 'second file' }),
      ],
      'x',
    );
    const seen: string[] = [];
    for await (const found of readParts(pieces(cut(bytes, [10, 90, 150])), boundaryOf(formType('x')), LIMITS)) {
      let content = found.kind === 'field' ? found.value.toString() : '';
      if (found.kind === 'file' && found.head.name === 'other')
        for await (const piece of found.content) content += piece;
      seen.push(`${found.head.name}=${content}`);
    }
    expect(seen).toEqual(['model=m', 'file=', 'other=second file']);
  });

  test('are taken from the source only as far as the form is read', async () => {
    const bytes = await written([toPart({ name: 'file', file: 'a.txt', content: 'a'.repeat(40) })], 'x');
    let given = 0;
    async function* source(): AsyncGenerator<Buffer> {
      for (const byte of bytes) {
        given += 1;
        yield Buffer.of(byte);
      }
    }
    const parts = readParts(source(), 'x', LIMITS);
    await parts.next();
    const head = bytes.indexOf('aaaa');
    expect(given).toBe(head);
  });

  test('can be written under another name', () => {
    const file = partHead('a', { filename: 'b.mp3', contentType: 'audio/mpeg' });
    expect(renamedHead(file, 'c').lines.toString()).toBe(
      'content-disposition: form-data; name="c"; filename="b.mp3"\r\ncontent-type: audio/mpeg\r\n',
    );
    expect(renamedHead(partHead('a'), 'c')).toEqual(partHead('c'));
  });
});

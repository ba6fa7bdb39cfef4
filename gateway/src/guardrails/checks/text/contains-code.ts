import { containsCode as entry } from '@gatehouse/crds/guardrails';
import { emptyText, excerptOf } from '../../answers.ts';
import { type CheckAnswer, type CheckTools, defineCheck } from '../../contract.ts';

type Format = ReturnType<typeof entry.parameters.parse>['format'];

/** Tags of code blocks in lower case. */
const TAGS: ReadonlyMap<string, Format> = new Map<string, Format>(
  Object.entries({
    sql: 'SQL',
    ...{ py: 'Python', python: 'Python', python3: 'Python', gyp: 'Python' },
    ...{ ts: 'TypeScript', tsx: 'TypeScript', typescript: 'TypeScript' },
    ...{ js: 'JavaScript', jsx: 'JavaScript', javascript: 'JavaScript' },
    java: 'Java',
    ...{ cs: 'C#', csharp: 'C#', 'c#': 'C#', cpp: 'C++', 'c++': 'C++', c: 'C' },
    ...{ rb: 'Ruby', ruby: 'Ruby', php: 'PHP', swift: 'Swift', kt: 'Kotlin', kotlin: 'Kotlin' },
    ...{ go: 'Go', golang: 'Go', rs: 'Rust', rust: 'Rust', scala: 'Scala', r: 'R', pl: 'Perl', perl: 'Perl' },
    ...{ sh: 'Shell', shell: 'Shell', bash: 'Shell', zsh: 'Shell' },
    ...{ html: 'HTML', css: 'CSS', xml: 'XML', json: 'JSON', yml: 'YAML', yaml: 'YAML' },
    ...{ md: 'Markdown', markdown: 'Markdown', dockerfile: 'Dockerfile' },
  } satisfies Record<string, Format>),
);

/** As many tags of a text are shown. */
const MAX_SHOWN = 100;
const FENCE = '```';
const TAG = /[\w+#]+/y;

/** Backticks that are looked at without a pause: one or two ms. */
const SLICE_FENCES = 20_000;

export const containsCode = defineCheck(entry, ({ format, not }) => {
  const answer = (text: string, formats: ReadonlySet<string>): CheckAnswer => {
    const found = formats.has(format);
    const verdict = found !== not;
    const explanation =
      formats.size === 0
        ? 'The text has no tagged code block.'
        : `The text ${found ? 'has' : 'does not have'} a code block of ${format}.`;
    const foundFormats = [...formats].slice(0, MAX_SHOWN);
    return { verdict, data: { explanation, searchedFormat: format, not, foundFormats, textExcerpt: excerptOf(text) } };
  };
  return ({ text }, tools) => {
    if (text === '') return emptyText();
    const formats = new Set<string>();
    const tags = fenceTags(text);
    if (collect(tags, formats)) return answer(text, formats);
    return collectInSlices(tags, formats, tools).then(() => answer(text, formats));
  };
});

async function collectInSlices(tags: Iterator<string>, formats: Set<string>, tools: CheckTools): Promise<void> {
  do await tools.nextSlice();
  while (!collect(tags, formats));
}

/** Takes the tags of one slice; false: there may be more. */
function collect(tags: Iterator<string>, formats: Set<string>): boolean {
  for (let i = 0; i < SLICE_FENCES; i += 1) {
    const next = tags.next();
    if (next.done) return true;
    const tag = next.value.toLowerCase();
    if (tag !== '') formats.add(TAGS.get(tag) ?? tag);
  }
  return false;
}

/**
 * Tags directly before the first line of a block whose end begins a line; empty for backticks that begin no such block.
 * Looks at each character once or twice.
 */
function* fenceTags(text: string): Generator<string> {
  let at = text.indexOf(FENCE);
  while (at >= 0) {
    TAG.lastIndex = at + FENCE.length;
    const tag = TAG.exec(text)?.[0] ?? '';
    const start = at + FENCE.length + tag.length + 1;
    const begins = tag !== '' && text[start - 1] === '\n';
    const end = begins ? text.indexOf(`\n${FENCE}`, start) : at - FENCE.length;
    if (begins && end < 0) return;
    yield begins ? tag : '';
    at = text.indexOf(FENCE, end + 1 + FENCE.length);
  }
}

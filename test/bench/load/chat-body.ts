const FILLER = 'All work and no play makes the gateway a dull process. ';
const MODEL = 'gpt-4o';

/** A chat completion request of exactly that many bytes. */
export function chatBody(bytes: number, more: Readonly<Record<string, unknown>> = {}): string {
  const withText = (content: string): string =>
    JSON.stringify({ model: MODEL, messages: [{ role: 'user', content }], max_tokens: 128, ...more });
  const frame = withText('').length;
  return withText(FILLER.repeat(Math.ceil(bytes / FILLER.length)).slice(0, Math.max(0, bytes - frame)));
}

/** A chat completion request of exactly that many bytes whose content is an inline image. */
export function imageBody(bytes: number): string {
  const withImage = (url: string): string =>
    JSON.stringify({
      model: MODEL,
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    });
  const frame = withImage('data:image/png;base64,').length;
  return withImage(
    `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAA'.repeat(bytes / 24 + 1).slice(0, bytes - frame)}`,
  );
}

/** The chat completion that the upstream always answers with: 0.5 KiB. */
export function chatAnswer(bytes = 512): string {
  const withText = (content: string): string =>
    JSON.stringify({
      id: 'chatcmpl-bench',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: MODEL,
      choices: [
        { index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 200, completion_tokens: 40, total_tokens: 240 },
      system_fingerprint: null,
    });
  return withText(FILLER.repeat(20).slice(0, bytes - withText('').length));
}

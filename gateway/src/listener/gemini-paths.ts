/** Paths of the Gemini API, which end in a colon and a call. Source: ai.google.dev, REST reference. */

const ROOT = /^\/v1(?:beta|alpha)\//;
/** Its stable version has the root of the gateway's own paths. */
const STABLE = /^\/v1\/models(?:\/.+(?::|%3A)[a-zA-Z]+)?$/;
/** The name may be a text with slashes, such as `@account/model`, which SDKs do not encode. */
const CALL =
  /^\/v1(?:beta|alpha)?\/models\/(.+)(?::|%3A)(generateContent|streamGenerateContent|embedContent|batchEmbedContents)$/;

/** A canonical request target with a path that routes know; other targets as they are. `isGoogle`: a client of Google sends it. */
export function fromGeminiPath(target: string, isGoogle: boolean): string {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  if (!ROOT.test(path) && !(isGoogle && STABLE.test(path))) return target;
  const query = mark < 0 ? '' : target.slice(mark);
  const [, name, call] = CALL.exec(path) ?? [];
  if (name === undefined) return path.replace(/^\/v1(?:beta|alpha)?\//, '/v1beta/') + query;
  return `/v1beta/models/${name.replaceAll('/', '%2F')}/${call}${query}`;
}

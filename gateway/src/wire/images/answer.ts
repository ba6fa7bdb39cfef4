/** Answers with generated images, in the form of OpenAI. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';

/** Units: created in Unix seconds. */
export const imagesBody = (data: readonly JsonObject[], context: WireContext): JsonObject => ({
  created: Math.floor(context.now() / 1000),
  data,
  provider: context.provider,
});

/** The texts of a list, or of its objects at `member`, as images in base64; the error says what is wrong. */
export function inlineImages(list: unknown, context: WireContext, member?: string): Result<JsonObject, string> {
  if (!Array.isArray(list)) return err('the images are missing');
  const texts = list.map((item: unknown) => (member === undefined || !isObject(item) ? item : item[member]));
  if (!texts.every((text) => typeof text === 'string')) return err('an image is no text');
  return ok(
    imagesBody(
      texts.map((text) => ({ b64_json: text })),
      context,
    ),
  );
}

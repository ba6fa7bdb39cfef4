/** Types of the members of the Gemini API that are read. */
import type { JsonObject } from '../../../wire/contract.ts';
import { GOOGLE_TOOLS } from '../../../wire/gemini/index.ts';
import { refuseShape } from '../refuse.ts';
import { type Check, flag, list, number, object, oneOf, text } from '../shape.ts';
import { memberOf, toCamel } from './members.ts';

const members = (checks: Readonly<Record<string, Check>>): Check => object(checks, toCamel);

const texts = list('a list of texts', text);
const textOrTexts: Check = (value, path) => {
  if (typeof value !== 'string') texts(value, path);
};

const config = members({
  stopSequences: textOrTexts,
  responseModalities: texts,
  imageConfig: object(),
  responseMimeType: text,
  responseSchema: object(),
  responseJsonSchema: object(),
  thinkingConfig: members({ thinkingLevel: text, thinkingBudget: number }),
});

const declaration = members({ name: text, parameters: object(), parametersJsonSchema: object() });

const tool = members({
  ...Object.fromEntries([...GOOGLE_TOOLS].map((name) => [name, object()])),
  functionDeclarations: list('a list of functions', declaration),
});

const MODES: ReadonlySet<unknown> = new Set(['MODE_UNSPECIFIED', 'AUTO', 'NONE', 'ANY', 'VALIDATED']);

const toolConfig = members({
  functionCallingConfig: members({
    mode: oneOf('AUTO, NONE, ANY or VALIDATED', MODES),
    allowedFunctionNames: texts,
  }),
  retrievalConfig: object(),
});

const request = members({
  generateContentRequest: object(),
  generationConfig: config,
  tools: list('a list of tools', tool),
  toolConfig,
});

/** Its contents are checked where they are read. Throws PARAMETER_INVALID. */
export const checkRequest = (given: JsonObject): void => request(given, '');

const part = members({
  text,
  thought: flag,
  thoughtSignature: text,
  inlineData: members({ mimeType: text, data: text, displayName: text }),
  fileData: members({ mimeType: text, fileUri: text }),
  functionCall: members({ id: text, name: text, args: object() }),
  functionResponse: members({ id: text, name: text }),
  executableCode: object(),
  codeExecutionResult: object(),
});

/** Of which a part has one. Source: Gemini API, Part. */
const KINDS = [
  ...['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse', 'executableCode', 'codeExecutionResult'],
] as const;

/** Throws PARAMETER_INVALID. */
export function checkPart(given: JsonObject, path: string): void {
  part(given, path);
  const kinds = KINDS.filter((kind) => (memberOf(given, kind) ?? '') !== '');
  if (kinds.length > 1) refuseShape(path, `one of ${kinds.join(' and ')}: a part has one kind`);
}

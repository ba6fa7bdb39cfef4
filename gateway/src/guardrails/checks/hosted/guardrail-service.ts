import { isObject } from '@gatehouse/crds';
import {
  gwDataservice as dataserviceEntry,
  gwGibberish as gibberishEntry,
  gwLanguage as languageEntry,
  gwModerateContent as moderateEntry,
  gwPii as piiEntry,
} from '@gatehouse/crds/guardrails';
import { excerptOf } from '../../answers.ts';
import { type CheckAnswer, defineCheck } from '../../contract.ts';
import { compileServiceCall, failedCall, malformed, noContent } from './service-call.ts';

export const gwModerateContent = defineCheck(moderateEntry, (parameters, credential) => {
  const { categories, not } = parameters;
  const post = compileServiceCall(parameters, credential);
  return async (subject, tools): Promise<CheckAnswer> => {
    const { text } = subject;
    if (text === '') return noContent();
    try {
      const json = await post('/moderations', { input: text }, { subject, tools });
      const result: unknown = isObject(json) && Array.isArray(json['results']) ? json['results'][0] : undefined;
      const found = isObject(result) ? result['categories'] : undefined;
      if (!isObject(found)) throw malformed();
      const allFlaggedCategories = Object.keys(found).filter((name) => found[name] === true);
      const flaggedCategories = allFlaggedCategories.filter((name) => categories.includes(name));
      const verdict = (flaggedCategories.length === 0) !== not;
      const explanation = flaggedCategories.length === 0 ? 'No category was found' : 'Some categories were found';
      const about = { verdict, not, explanation, restrictedCategories: categories, textExcerpt: excerptOf(text) };
      return { verdict, data: { ...about, flaggedCategories, allFlaggedCategories, moderationResults: result } };
    } catch (error) {
      return failedCall(error);
    }
  };
});

/** The first label of `[[{label, score}]]`. */
function firstLabel(json: unknown): string {
  const first: unknown = Array.isArray(json) && Array.isArray(json[0]) ? json[0][0] : undefined;
  if (!isObject(first) || typeof first['label'] !== 'string') throw malformed();
  return first['label'];
}

export const gwLanguage = defineCheck(languageEntry, (parameters, credential) => {
  const { not } = parameters;
  const allowedLanguages = [parameters.language].flat();
  const post = compileServiceCall(parameters, credential);
  return async (subject, tools): Promise<CheckAnswer> => {
    const { text } = subject;
    if (text === '') return noContent();
    try {
      const analysis = await post('/language', { input: text }, { subject, tools });
      const detectedLanguage = firstLabel(analysis);
      const verdict = allowedLanguages.includes(detectedLanguage) !== not;
      const explanation = `The text is in ${detectedLanguage}`;
      const about = { verdict, not, explanation, textExcerpt: excerptOf(text) };
      return { verdict, data: { ...about, analysis, detectedLanguage, allowedLanguages } };
    } catch (error) {
      return failedCall(error);
    }
  };
});

export const gwGibberish = defineCheck(gibberishEntry, (parameters, credential) => {
  const { not } = parameters;
  const post = compileServiceCall(parameters, credential);
  return async (subject, tools): Promise<CheckAnswer> => {
    const { text } = subject;
    if (text === '') return noContent();
    try {
      const analysis = await post('/gibberish', { input: text }, { subject, tools });
      const isClean = firstLabel(analysis) === 'clean';
      const verdict = isClean !== not;
      const explanation = isClean ? 'The text makes sense' : 'The text makes no sense';
      return { verdict, data: { verdict, not, explanation, analysis, textExcerpt: excerptOf(text) } };
    } catch (error) {
      return failedCall(error);
    }
  };
});

interface PiiPart {
  readonly labels: readonly string[];
  readonly redacted: string | undefined;
}

/** One item per text: `{entities: [{labels}], processed_text}`. */
function readPii(json: unknown, count: number): readonly PiiPart[] {
  if (!Array.isArray(json) || json.length !== count) throw malformed();
  return json.map((item: unknown) => {
    if (!isObject(item) || !Array.isArray(item['entities'])) throw malformed();
    const entities = item['entities'].filter(isObject);
    const labels = entities.flatMap(({ labels: found }) =>
      Array.isArray(found)
        ? found.filter((label) => typeof label === 'string')
        : isObject(found)
          ? Object.keys(found)
          : [],
    );
    const text = item['processed_text'];
    return { labels, redacted: entities.length > 0 && typeof text === 'string' ? text : undefined };
  });
}

export const gwPii = defineCheck(piiEntry, (parameters, credential) => {
  const { categories, redact, not } = parameters;
  const post = compileServiceCall(parameters, credential);
  return async (subject, tools): Promise<CheckAnswer> => {
    const { text, parts } = subject;
    if (text === '') return noContent();
    const places = [...parts.keys()].filter((i) => parts[i] !== '');
    try {
      const input = places.map((i) => parts[i]);
      const found = readPii(await post('/pii', { input, categories }, { subject, tools }), places.length);
      const detectedCategories = [...new Set(found.flatMap(({ labels }) => labels))];
      const listed = detectedCategories.filter((name) => categories.includes(name));
      const redacted = new Map(places.map((place, i) => [place, found[i]?.redacted]));
      const isRedacted = redact && listed.length > 0;
      const verdict = isRedacted || (listed.length === 0) !== not;
      const explanation = listed.length === 0 ? 'No personal data was found' : 'Personal data was found';
      const about = { verdict, not, explanation, restrictedCategories: categories, detectedCategories };
      return {
        verdict,
        data: { ...about, textExcerpt: excerptOf(isRedacted ? '' : text) },
        log: { detectedCategories },
        ...(isRedacted && { transformed: { kind: 'parts', parts: parts.map((_, i) => redacted.get(i)) } }),
      };
    } catch (error) {
      return failedCall(error);
    }
  };
});

export const gwDataservice = defineCheck(dataserviceEntry, () => () => ({ verdict: true }));

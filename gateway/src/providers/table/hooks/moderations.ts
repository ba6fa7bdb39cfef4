/** Answers of moderation that differ from OpenAI's. */
import { err, isObject, ok } from '@gatehouse/crds';
import type { AnswerRule } from '../../contract.ts';

/** mistral-ai: what is flagged is said by category alone. */
export const flaggedByCategory: AnswerRule = {
  kind: 'read',
  read(body, call) {
    if (!isObject(body) || !Array.isArray(body['results'])) return err('results are missing');
    const results = body['results'].map((result: unknown) => {
      if (!isObject(result) || typeof result['flagged'] === 'boolean') return result;
      const categories = isObject(result['categories']) ? Object.values(result['categories']) : [];
      return { flagged: categories.includes(true), ...result };
    });
    return ok({ ...body, results, provider: call.provider });
  },
};

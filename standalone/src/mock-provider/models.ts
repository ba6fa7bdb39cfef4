/** The models in lists. Any other model name works as well. */
export const MOCK_MODELS = ['mock-small', 'mock-large', 'mock-reasoning', 'mock-embedding'] as const;

// Fixed, so that lists are deterministic. 2026-01-01T00:00:00Z in both notations.
export const MODELS_CREATED_SECONDS = 1_767_225_600;
export const MODELS_CREATED_TIME = '2026-01-01T00:00:00Z';

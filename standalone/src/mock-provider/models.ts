/** The models every list names. Any other model name works as well. */
export const MOCK_MODELS = ['mock-small', 'mock-large', 'mock-reasoning', 'mock-embedding'] as const;

// Not the clock: lists are as deterministic as answers. 2026-01-01T00:00:00Z in both notations.
export const MODELS_CREATED_SECONDS = 1_767_225_600;
export const MODELS_CREATED_TIME = '2026-01-01T00:00:00Z';

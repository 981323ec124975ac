import * as cv from 'class-validator';
import { type Use, use } from './use.js';

/** The decorators that judge a Date, which travels as text. */
export const DATE_USES: readonly Use[] = [
  use('IsDate()', (o) => cv.IsDate(o), '2026-01-31', '2026-01-31T10:00:00Z', 'soon', ''),
  use(
    "MinDate(new Date('2026-01-01'))",
    (o) => cv.MinDate(new Date('2026-01-01'), o),
    '2025-12-31',
    '2026-01-01',
    'soon',
  ),
  use(
    "MaxDate(new Date('2026-01-01'))",
    (o) => cv.MaxDate(new Date('2026-01-01'), o),
    '2025-12-31',
    '2026-01-02',
    'soon',
  ),
  use(
    "MinDate(() => new Date('2026-01-01'))",
    (o) => cv.MinDate(() => new Date('2026-01-01'), o),
    '2025-12-31',
    '2026-01-01',
  ),
];

import * as cv from 'class-validator';
import { type Use, use } from './use.js';

const UUID_1 = 'c232ab00-9414-11ec-b3c8-9f6bdeced846';
const UUID_4 = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d';
const UUID_7 = '017F22E2-79B0-7CC3-98C4-DC0C0C07398F';
const NIL = '00000000-0000-0000-0000-000000000000';
const MAX = 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF';
const HEX_40 = 'd'.repeat(20) + '0123456789ABCDEFabcd';

/** Decorators about codes and identifiers. */
export const IDENTIFIER_USES: readonly Use[] = [
  use('IsUUID()', (o) => cv.IsUUID(undefined, o), UUID_1, UUID_4, UUID_7, NIL, MAX),
  use('IsUUID(4)', (o) => cv.IsUUID(4, o), UUID_1, UUID_4, UUID_4.toUpperCase(), NIL),
  use(
    "IsUUID(['1', '7'])",
    (o) => cv.IsUUID(['1', '7'] as unknown as cv.IsUUIDVersion, o),
    UUID_1,
    UUID_4,
    UUID_7,
  ),
  use(
    "IsUUID('loose')",
    (o) => cv.IsUUID('loose' as cv.IsUUIDVersion, o),
    'c232ab00-9414-ffff-ffff-9f6bdeced846',
    UUID_1,
  ),
  use("IsUUID('9')", (o) => cv.IsUUID('9' as cv.IsUUIDVersion, o), UUID_1),
  use(
    'IsMongoId()',
    (o) => cv.IsMongoId(o),
    '507f1f77bcf86cd799439011',
    '0x7f1f77bcf86cd799439011',
    '507f1f77bcf86cd79943901',
  ),
  use('IsFirebasePushId()', (o) => cv.IsFirebasePushId(o), '-M-Jh_1KAH5rYJF_7-kY', '-M-Jh_1KAH5rYJF_7-k'),
  use('IsEthereumAddress()', (o) => cv.IsEthereumAddress(o), `0x${HEX_40}`, `0X${HEX_40}`, HEX_40),
  use(
    'IsBtcAddress()',
    (o) => cv.IsBtcAddress(o),
    '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
    'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    'tb1pqar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  ),
  use("IsHash('sha1')", (o) => cv.IsHash('sha1', o), HEX_40, `${HEX_40}a`),
  use("IsHash('none')", (o) => cv.IsHash('none', o), 'a', 'a{undefined}'),
  use('IsJWT()', (o) => cv.IsJWT(o), 'eyJ0.eyJz.SflK', 'a.b', '..', 'a.b.c.d', 'a.b.c='),
  use(
    'IsSemVer()',
    (o) => cv.IsSemVer(o),
    '1.2.3',
    '1.2.3-beta.1+build.5',
    '01.2.3',
    '1.2',
    '1.0.0-0A.is.legal',
    '1.0.0-01',
  ),
  use('IsMilitaryTime()', (o) => cv.IsMilitaryTime(o), '23:59', '2359', '24:00', '9:00'),
  use(
    'IsRFC3339()',
    (o) => cv.IsRFC3339(o),
    '2026-01-31T23:59:60Z',
    '2026-01-31 23:59:59.5+01:00',
    '2026-13-01T00:00:00Z',
    '2026-01-31t00:00:00z',
  ),
  use(
    'IsPort()',
    (o) => cv.IsPort(o),
    '0',
    '80',
    '65535',
    '65536',
    '+1',
    '-0',
    '01',
    '+65500',
    '-1',
    '60000',
  ),
  use('IsHexColor()', (o) => cv.IsHexColor(o), '#fff', 'FFF8', '#00ff00', '#00ff00aa', '#00ff0'),
  use(
    'IsRgbColor()',
    (o) => cv.IsRgbColor(undefined, o),
    'rgb(0,128,255)',
    'rgba(0,0,0,0.5)',
    'rgb(5%,5%,100%)',
    'rgba(5%,5%,5%,1.0)',
    'rgb(256,0,0)',
    'rgb(0, 0, 0)',
  ),
  use(
    'IsRgbColor(false)',
    (o) => cv.IsRgbColor(false, o),
    'rgb(0,128,255)',
    'rgba(0,0,0,.55)',
    'rgb(5%,5%,100%)',
  ),
  use('IsISRC()', (o) => cv.IsISRC(o), 'USAT29900609', 'USAT2990060'),
  use(
    'IsMimeType()',
    (o) => cv.IsMimeType(o),
    'text/plain',
    'Text/HTML; charset=utf-8',
    'multipart/form-data; boundary="x y"; charset=a (b)',
    'foo/bar',
  ),
  use('IsBIC()', (o) => cv.IsBIC(o), 'SBICKEN1345', 'sbicken1', 'SBICXXN1'),
  use('IsISSN()', (o) => cv.IsISSN(undefined, o), '0378-5955', '03785955', '2434-561x', '2434-561X'),
  use(
    'IsISSN({ case_sensitive: true, require_hyphen: true })',
    (o) => cv.IsISSN({ case_sensitive: true, require_hyphen: true }, o),
    '0378-5955',
    '03785955',
    '2434-561x',
    '2434-561X',
  ),
  use('IsEAN()', (o) => cv.IsEAN(o), '9421023610112', '73513537', '12345670', '00012345600012'),
  use('IsISIN()', (o) => cv.IsISIN(o), 'US0378331005', 'US0378331006', 'AU0000XVGZA3'),
  use('IsISO31661Numeric()', (o) => cv.IsISO31661Numeric(o), '076', '999'),
  use('IsISO6391()', (o) => cv.IsISO6391(o), 'en', 'EN', 'xx'),
];

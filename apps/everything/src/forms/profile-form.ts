import { Describe } from '@sigil/core';
import { IsBoolean, IsIn, IsInt, IsNumber, IsString } from 'class-validator';

/** A form with default values. The initial values of the properties become the defaults in the schema. */
export class ProfileForm {
  @Describe('Full name')
  @IsString()
  name: string = 'John Doe';

  @Describe('Age in years')
  @IsInt()
  age: number = 30;

  @Describe('Score in percent')
  @IsNumber()
  score: number = 95.5;

  @Describe('What the account is')
  @IsString()
  @IsIn(['active', 'inactive', 'pending'])
  status: string = 'active';

  @Describe('Whether the address was verified')
  @IsBoolean()
  verified: boolean = true;
}

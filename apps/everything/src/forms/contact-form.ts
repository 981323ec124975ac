import { Describe } from '@sigil/core';
import { IsEmail, IsString } from 'class-validator';

/** Who is there. */
export class ContactForm {
  @Describe("User's response")
  @IsString()
  username!: string;

  @Describe("User's email address")
  @IsEmail()
  email!: string;
}

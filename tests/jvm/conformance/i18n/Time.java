package i18n;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.format.FormatStyle;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.Locale;

/** java.time: arithmetic, zones with gaps and overlaps, formats. */
public class Time {
    public static void main(String[] args) {
        LocalDate d = LocalDate.of(2024, 2, 29);
        System.out.println(d.plusYears(1) + " " + d.getDayOfWeek() + " " + d.with(TemporalAdjusters.firstInMonth(DayOfWeek.MONDAY)) + " " + ChronoUnit.DAYS.between(d, LocalDate.of(2030, 1, 1)) + " " + Period.between(d, LocalDate.of(2030, 1, 1)) + " " + Year.isLeap(1900));
        ZoneId ny = ZoneId.of("America/New_York");
        System.out.println(ZonedDateTime.of(LocalDateTime.of(2021, 3, 14, 2, 30), ny) + " " + ZonedDateTime.of(LocalDateTime.of(2021, 11, 7, 1, 30), ny).plusHours(1) + " " + ny.getRules().getOffset(Instant.EPOCH));
        System.out.println(Duration.ofSeconds(3661, 5).toString() + " " + Duration.parse("PT1H2M").toMinutes() + " " + Instant.ofEpochSecond(1_000_000_000) + " " + LocalTime.of(23, 59).plusMinutes(2) + " " + OffsetDateTime.of(2020, 1, 1, 0, 0, 0, 0, ZoneOffset.ofHours(5)).toInstant());
        ZonedDateTime z = ZonedDateTime.of(2020, 7, 4, 13, 5, 9, 123_000_000, ZoneId.of("Europe/Paris"));
        System.out.println(z.format(DateTimeFormatter.ISO_ZONED_DATE_TIME) + " " + z.format(DateTimeFormatter.ofPattern("EEEE d MMM uuuu hh:mm a zzzz VV xxx", Locale.UK)) + " " + z.format(DateTimeFormatter.RFC_1123_DATE_TIME) + " " + z.format(DateTimeFormatter.ofLocalizedDate(FormatStyle.LONG).withLocale(Locale.GERMAN)));
        System.out.println(LocalDate.parse("2020-W53-5", DateTimeFormatter.ISO_WEEK_DATE) + " " + LocalDateTime.parse("03/04/2005 06:07", DateTimeFormatter.ofPattern("dd/MM/yyyy HH:mm")));
        try {
            LocalDate.parse("2021-02-30");
        } catch (DateTimeParseException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(java.time.chrono.JapaneseDate.of(2019, 5, 1) + " " + java.time.chrono.ThaiBuddhistDate.from(d) + " " + java.time.chrono.HijrahDate.from(d));
        System.out.println(ZoneId.systemDefault() + " " + java.util.TimeZone.getDefault().getID() + " " + ZoneId.getAvailableZoneIds().contains("Asia/Tokyo") + " " + java.util.TimeZone.getTimeZone("Asia/Kolkata").getRawOffset());
        System.out.println(Instant.now().isAfter(Instant.EPOCH) + " " + Instant.MAX + " " + LocalDate.MIN);
    }
}

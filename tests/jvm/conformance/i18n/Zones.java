package i18n;

// options: -Duser.timezone=Asia/Kolkata -Duser.language=fr -Duser.country=CA
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.TimeZone;

/** Zone and locale set on the command line. */
public class Zones {
    public static void main(String[] args) {
        System.out.println(TimeZone.getDefault().getID() + " " + Locale.getDefault() + " " + new Date(0) + " " + String.format("%,.1f %tA", 12345.67, new Date(0)));
        Calendar c = new GregorianCalendar(2021, Calendar.DECEMBER, 31, 23, 59, 59);
        c.add(Calendar.SECOND, 1);
        System.out.println(c.get(Calendar.YEAR) + " " + c.get(Calendar.WEEK_OF_YEAR) + " " + c.getTimeInMillis() + " " + c.getFirstDayOfWeek() + " " + c.getActualMaximum(Calendar.DAY_OF_MONTH));
        GregorianCalendar g = new GregorianCalendar(1582, Calendar.OCTOBER, 4);
        g.add(Calendar.DATE, 1);
        System.out.println(g.get(Calendar.DATE));
    }
}

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/tools/attempt.h"
#include "tools/lab/figure/figure.h"

namespace
{

class Figure : public testing::Test
{
  protected:
    void SetUp() override
    {
        series.name = "S";
        series.workload = "pingpong";
        series.of_file = "p";
        series.key = "bytes";
        EXPECT_EQ(SIM_OK, attempt(&err, [&] {
                      series.setup =
                          lab_setup_parse("bytes=8..1024;mode=dma-register;src=gpu;dst=gpu;"
                                          "rounds=3",
                                          "e", &arena);
                  }));
        figure.quantity = "latency";
        exp.n = 1;
        exp.series = &series;
    }
    void TearDown() override { load_arena_fini(&arena); }
    /** What the rows give the figure: "kind x y y2" for each point. */
    std::vector<std::string> points(const std::string &lines)
    {
        std::string text = "id,platform,workload,setup,quantity,relation,value,value2,unit,"
                           "tolerance_pct,source\n" +
                           lines;
        lab_rows rows = {};
        lab_table table;
        std::vector<std::string> list;

        EXPECT_EQ(SIM_OK, attempt(&err,
                                  [&] {
                                      lab_csv csv =
                                          lab_csv_parse("t.csv", text.data(), text.size(), &arena);

                                      rows = lab_rows_from(&csv, &arena);
                                  }))
            << err.text;
        lab_figure_begin(&table);
        lab_figure_add_rows(&figure, &exp, &rows, &table);
        for (unsigned i = 0; i < table.nrows; i++) {
            drawn_with = lab_table_get(&table, i, 0);
            list.push_back(std::string(lab_table_get(&table, i, 1)) + " " +
                           lab_table_get(&table, i, 2) + " " + lab_table_get(&table, i, 3) + " " +
                           lab_table_get(&table, i, 4));
        }
        lab_table_fini(&table);
        return list;
    }
    std::string drawn_with; /* the series of the last one */
    begun_arena arena;
    sim_error err = {};
    lab_series series = {};
    lab_experiment exp = {};
    lab_figure figure = {};
};

using Points = std::vector<std::string>;

TEST_F(Figure, RowsOfTheSameSetupAreItsPoints)
{
    const std::string row = "a,p,pingpong,bytes=8;mode=dma-register;src=gpu;dst=gpu;nodes=2;hops=1;"
                            "repeats=9,latency,eq,2.3,,us,3,s\n";

    EXPECT_EQ((Points{ "published 8 2.3 " }), points(row));
    figure.bandwidth = true; /* 8 bytes in 2.3 us */
    EXPECT_EQ((Points{ "published 8 3.47826 " }), points(row));
}

/* As the rows of 2016 do, beside those of libraries above the board. */
TEST_F(Figure, ARowOfTheBoardAloneIsAPointWhereNoSystemIsNamed)
{
    const std::string head = "a,p,pingpong,bytes=8;mode=dma-register;src=gpu;dst=gpu;system=",
                      tail = ",latency,eq,2.3,,us,3,s\n";

    EXPECT_EQ((Points{ "published 8 2.3 " }), points(head + "native" + tail));
    EXPECT_EQ(Points{}, points(head + "gasnet-ib" + tail));
}

/* Series may differ in what no row says. */
TEST_F(Figure, ARowIsAPointOfTheFirstSeriesThatItSuits)
{
    const std::string row =
        "a,p,pingpong,bytes=8;mode=dma-register;src=gpu;dst=gpu,latency,eq,2.3,,us,3,s\n";
    lab_series both[] = { series, series };

    both[0].name = "a ring";
    both[1].name = "two rings";
    exp.n = 2;
    exp.series = both;
    EXPECT_EQ((Points{ "published 8 2.3 " }), points(row));
    EXPECT_EQ("a ring", drawn_with);
    both[0].of_file = "q";
    EXPECT_EQ((Points{ "published 8 2.3 " }), points(row));
    EXPECT_EQ("two rings", drawn_with);
    both[0].of_file = "p";
    both[0].key = "n"; /* which the row does not have */
    EXPECT_EQ((Points{ "published 8 2.3 " }), points(row));
    EXPECT_EQ("two rings", drawn_with);
}

/* A row of one library over one network says nothing of another's line. */
TEST_F(Figure, ARowIsAPointOfItsOwnSystem)
{
    const std::string row = "a,p,pingpong,bytes=8;mode=dma-register;src=gpu;dst=gpu;system=";
    lab_series both[] = { series, series };
    for (unsigned i = 0; i < 2; i++) {
        lab_setup_put(&both[i].setup, "system", i == 0 ? "gasnet-tca" : "gasnet-ib", NULL);
        both[i].name = i == 0 ? "hub" : "adapter";
    }
    exp.n = 2;
    exp.series = both;
    EXPECT_EQ((Points{ "published 8 2.3 " }), points(row + "gasnet-ib,latency,eq,2.3,,us,3,s\n"));
    EXPECT_EQ("adapter", drawn_with);
    EXPECT_EQ((Points{ "published 8 2.3 " }), points(row + "gasnet-tca,latency,eq,2.3,,us,3,s\n"));
    EXPECT_EQ("hub", drawn_with);
    EXPECT_EQ((Points{}), points(row + "mpi-ib,latency,eq,2.3,,us,3,s\n"));
}

TEST_F(Figure, WholeQuantitiesAreNotMadeFromOthers)
{
    const std::string head = "a,p,pingpong,bytes=8;mode=dma-register;src=gpu;dst=gpu,";

    figure.quantity = "speedup";
    EXPECT_EQ((Points{ "published 8 3.5 " }), points(head + "speedup,eq,3.5,,x,3,s\n"));
    EXPECT_EQ((Points{}), points(head + "time,eq,3.5,,s,3,s\n"));
    figure.quantity = "time";
    EXPECT_EQ((Points{ "published 8 3.5 " }), points(head + "time,eq,3.5,,s,3,s\n"));
}

TEST_F(Figure, IntervalsAndLargestValuesAreShownAsSuch)
{
    EXPECT_EQ((Points{ "published 16 2300 2500" }),
              points("a,p,pingpong,bytes=16;mode=dma-register;src=gpu;dst=gpu,latency,between,2.3,"
                     "2.5,ms,3,s\n"));
    EXPECT_EQ((Points{ "published 16 2 2.1" }),
              points("a,p,pingpong,bytes=16;mode=dma-register;src=gpu;dst=gpu;spread_pct=5,latency,"
                     "eq,2,,us,3,s\n"))
        << "from the best run to the median";
    figure.bandwidth = true;
    EXPECT_EQ(
        (Points{ "level  3500 " }),
        points("a,p,pingpong,bytes=8..64;take=max;mode=dma-register;src=gpu;dst=gpu,bandwidth,"
               "eq,3.5,,GB/s,3,s\n"));
}

TEST_F(Figure, OtherSetupsAndOtherQuantitiesAreNot)
{
    const char *const others[] = {
        "a,q,pingpong,bytes=8;mode=dma-register;src=gpu;dst=gpu,latency,eq,2,,us,3,s\n",
        "a,p,block-stride,bytes=8;mode=dma-register;src=gpu;dst=gpu,latency,eq,2,,us,3,s\n",
        "a,p,pingpong,bytes=8;mode=pio;src=gpu;dst=gpu,latency,eq,2,,us,3,s\n",
        "a,p,pingpong,bytes=8;mode=dma-register;src=cpu;dst=gpu,latency,eq,2,,us,3,s\n",
        "a,p,pingpong,bytes=8;mode=dma-register;src=gpu;dst=gpu;hops=2,latency,eq,2,,us,3,s\n",
        "a,p,pingpong,bytes=8;mode=dma-register;src=gpu;dst=gpu;staging=host,latency,eq,2,,us,3,"
        "s\n",
        "a,p,pingpong,bytes=8;mode=dma-register;src=gpu;dst=gpu;gpu=ib-side,latency,eq,2,,us,3,s\n",
        "a,p,pingpong,bytes=8;mode=dma-register;src=gpu;dst=gpu;gdr_limit=8192,latency,eq,2,,us,3,"
        "s\n",
        "a,p,pingpong,bytes=8;mode=dma-register;src=gpu;dst=gpu;versus=a,ratio,eq,2,,x,3,s\n",
        "a,p,pingpong,over=bytes:8..64;mode=dma-register;src=gpu;dst=gpu,latency,eq,2,,us,3,s\n",
        ("a,p,pingpong,bytes=8;mode=dma-register;src=gpu;dst=gpu;versus=a,latency,less_than,,,us,3,"
         "s\n"),
    };
    for (const char *row : others)
        EXPECT_EQ(Points{}, points(row)) << row;
}

TEST_F(Figure, PointsOfOnesOwnAreThoseThatItsAxesShow)
{
    const std::string above = " above 0, as the axis of the figure is logarithmic";
    lab_table table;
    auto add = [&](const std::string &text) {
        err = {};
        (void)attempt(&err, [&] {
            lab_csv csv = lab_csv_parse("o.csv", text.data(), text.size(), &arena);

            lab_figure_check_points(&figure, &csv);
            lab_figure_add_points(&csv, &table);
        });
        return std::string(err.text);
    };

    figure.x_scale = "log2";
    figure.y_scale = "linear";
    lab_figure_begin(&table);
    EXPECT_EQ("", add("series,x,y\nmine,8,-1.5\n"));
    EXPECT_STREQ("own", lab_table_get(&table, 0, 1));
    EXPECT_STREQ("-1.5", lab_table_get(&table, 0, 3));
    EXPECT_EQ("o.csv:2: y = fast: expected a finite number", add("series,x,y\nmine,8,fast\n"));
    EXPECT_EQ("o.csv:2: y = inf: expected a finite number", add("series,x,y\nmine,8,inf\n"));
    EXPECT_EQ("o.csv:2: y = : expected a finite number", add("series,x,y\nmine,8,\n"));
    EXPECT_EQ("o.csv:3: x = 0: expected a finite number" + above,
              add("series,x,y\nmine,8,1\nmine,0,1\n"));
    figure.y_scale = "log";
    EXPECT_EQ("o.csv:2: y = -1: expected a finite number" + above, add("series,x,y\nmine,8,-1\n"));
    EXPECT_EQ("o.csv:2: expected a point: series, x, y", add("series,x,y\n"));
    EXPECT_EQ("o.csv:1: expected a column series", add(""));
    EXPECT_EQ("o.csv:1: expected one column x", add("series,x,x,y\nmine,1,2,3\n"));
    lab_table_fini(&table);
}

TEST_F(Figure, SeveralQuantitiesAreLinesOfTheirOwn)
{
    const char *const names[] = { "latency_ps_p99", "latency_ps_max", "latency_ps_none" };
    lab_line::lab_pair pairs[] = { { "latency_ps_p99", "2500000" },
                                   { "latency_ps_max", "4000000" } };
    lab_line line = { 2, pairs };
    lab_result result = {};
    lab_sample sample = {};
    lab_samples samples = { 1, &sample };
    lab_table table;
    auto lines = [&](double ps_per_unit) {
        Points list;

        figure.ps_per_unit = ps_per_unit;
        lab_figure_begin(&table);
        lab_figure_add_samples(&figure, &samples, &table);
        for (unsigned i = 0; i < table.nrows; i++)
            list.push_back(std::string(lab_table_get(&table, i, 0)) + " " +
                           lab_table_get(&table, i, 2) + " " + lab_table_get(&table, i, 3));
        lab_table_fini(&table);
        return list;
    };

    result.nlines = 1;
    result.lines = &line;
    sample.series = &series;
    sample.x = "1e-9";
    sample.min_s = 1e-6;
    sample.result = &result;
    figure.nquantities = 3;
    figure.quantities = names;
    EXPECT_EQ((Points{ "S, p99 1e-9 2.5", "S, max 1e-9 4" }), lines(1e6));
    EXPECT_EQ((Points{ "S, p99 1e-9 0.0025", "S, max 1e-9 0.004" }), lines(1e9));
}

/** What scripts/plot.py gets. */
std::string axes_of(const lab_figure &figure)
{
    char *text = nullptr;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    std::string all;

    lab_figure_write_axes(&figure, f);
    (void)fclose(f);
    all = text;
    free(text);
    return all;
}

TEST_F(Figure, PartsOfBarsAreNamed)
{
    const char *const names[] = { "calculation_ps", "latency_ps_max" };

    figure.description = figure.x_label = figure.y_label = "";
    figure.x_scale = figure.y_scale = "linear";
    figure.nquantities = 2;
    figure.quantities = names;
    EXPECT_EQ(std::string::npos, axes_of(figure).find("bars"));
    figure.bars = true;
    EXPECT_NE(std::string::npos, axes_of(figure).find("\"bars\": [\"calculation\", \"max\"]"));
}

std::string refusal_of(const std::string &y, load_arena *arena)
{
    std::string path = testing::TempDir() + "bars.yaml";
    lab_figure figure = {};
    sim_error err = {};
    FILE *f = fopen(path.c_str(), "w");

    (void)fprintf(f, "experiments: [e]\nx: { label: x }\ny: { %s }\nbars: yes\n", y.c_str());
    (void)fclose(f);
    return attempt(&err, [&] { lab_figure_read(path.c_str(), arena, &figure); }) == SIM_OK
               ? ""
               : err.text;
}

TEST_F(Figure, BarsStandOnALinearAxis)
{
    EXPECT_EQ("", refusal_of("quantity: time, scale: linear", &arena));
    EXPECT_NE(
        std::string::npos,
        refusal_of("quantity: time, scale: log", &arena).find("expected y with scale: linear"));
}

TEST_F(Figure, KeysOfResultsHaveTheUnitThatTheAxisSays)
{
    const std::string bars = "quantity: [halo_ps, sum_ps], scale: linear, unit: ";

    EXPECT_EQ("", refusal_of(bars + "s", &arena));
    EXPECT_NE(std::string::npos, refusal_of(bars + "h", &arena).find("expected us, ms or s"));
    EXPECT_NE(std::string::npos, refusal_of("quantity: time, scale: linear, unit: s", &arena)
                                     .find("expected keys in ps as quantity beside it"));
}

} // namespace
